import { describe, expect, it } from 'vitest'
import { parseRobots } from './parse-robots.ts'

/*
 * What the reference parser of RFC 9309 (google/robotstxt) decides, where the RFC says the same. We differ where the RFC does: paths are
 * compared decoded (2.2.2), so that `/%62az` and `/baz` are one path, and `index.html` is not special.
 */

const FOO = 'User-agent: FooBot\n'

/** [the file, path, whether FooBot may fetch it] */
const CASES: Readonly<
  Record<string, ReadonlyArray<readonly [file: string, path: string, allowed: boolean]>>
> = {
  'an empty file, and one without a known line': [
    ['', '/', true],
    ['foo: FooBot\nbar: /\n', '/x/y', true],
  ],
  'lines with and without a colon': [
    ['user-agent: FooBot\ndisallow: /\n', '/x/y', false],
    ['user-agent FooBot\ndisallow /\n', '/x/y', false],
  ],
  'a group of several agents, and rules outside of groups': [
    [
      'allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n',
      '/x/b',
      true,
    ],
    [
      'allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n',
      '/z/d',
      false,
    ],
    [
      'allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n',
      '/foo/bar/',
      false,
    ],
    [
      'user-agent: BarBot\nuser-agent: FooBot\ndisallow: /\nallow: /w/\n\nuser-agent: QuxBot\nallow: /x/\n',
      '/w/a',
      true,
    ],
    [
      'user-agent: BarBot\nuser-agent: FooBot\ndisallow: /\nallow: /w/\n\nuser-agent: QuxBot\nallow: /x/\n',
      '/x/b',
      false,
    ],
  ],
  'other lines between User-agent lines': [
    ['User-agent: FooBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n', '/x', false],
    ['User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n', '/x', false],
  ],
  'names in any case': [
    ['USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n', '/x/y', true],
    ['uSeR-aGeNt: FOO BAR\nallow: /x/\n', '/a/b', true],
    ['User-Agent: fOOboT\nAllow: /x/\nDisallow: /\n', '/a/b', false],
  ],
  'the group of the agent before that for all': [
    ['user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n', '/x/y', false],
    [
      'user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /\nuser-agent: *\ndisallow: /\n',
      '/x/y',
      true,
    ],
    ['user-agent: * baz\nallow: /\nuser-agent: BarBot\ndisallow: /\n', '/x/y', true],
    ['User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n', '/x/page', true],
    ['User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n', '/y/page', false],
  ],
  'the longest match': [
    [`${FOO}disallow: /x/page.html\nallow: /x/\n`, '/x/page.html', false],
    [`${FOO}allow: /x/page.html\ndisallow: /x/\n`, '/x/page.html', true],
    [`${FOO}allow: /x/page.html\ndisallow: /x/\n`, '/x/', false],
    [`${FOO}disallow: \nallow: \n`, '/x/page.html', true],
    [`${FOO}disallow: /\nallow: /\n`, '/x/page.html', true],
    [`${FOO}disallow: /x\nallow: /x/\n`, '/x', false],
    [`${FOO}disallow: /x\nallow: /x/\n`, '/x/', true],
    [`${FOO}disallow: /x/page.html\nallow: /x/page.html\n`, '/x/page.html', true],
    [`${FOO}allow: /page\ndisallow: /*.html\n`, '/page.html', false],
    [`${FOO}allow: /page\ndisallow: /*.html\n`, '/page', true],
    [`${FOO}allow: /x/page.\ndisallow: /*.html\n`, '/x/page.html', true],
    [`${FOO}allow: /x/page.\ndisallow: /*.html\n`, '/x/y.html', false],
    [`${FOO}allow: /p\ndisallow: /\n`, '/page', true],
    [`${FOO}allow: /folder\ndisallow: /folder\n`, '/folder/page', true],
    [`${FOO}allow: /page\ndisallow: /*.htm\n`, '/page.htm', false],
    [`${FOO}allow: /$\ndisallow: /\n`, '/', true],
    [`${FOO}allow: /$\ndisallow: /\n`, '/page.html', false],
  ],
  paths: [
    [`${FOO}disallow: /X/\n`, '/x/y', true],
    [
      `${FOO}Disallow: /\nAllow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par\n`,
      '/foo/bar?qux=taz&baz=http://foo.bar?tar&par',
      true,
    ],
    [`${FOO}Disallow: /\nAllow: /foo/bar/ツ\n`, '/foo/bar/%E3%83%84', true],
    [`${FOO}Disallow: /\nAllow: /foo/bar/%E3%83%84\n`, '/foo/bar/%E3%83%84', true],
    [`${FOO}Disallow: /\nAllow: /foo/bar/%62%61%7A\n`, '/foo/bar/%62%61%7A', true],
  ],
  'special characters': [
    [`${FOO}Disallow: /foo/bar/quz\nAllow: /foo/*/qux\n`, '/foo/bar/quz', false],
    [`${FOO}Disallow: /foo/bar/quz\nAllow: /foo/*/qux\n`, '/foo/bax/quz', true],
    [`${FOO}Disallow: /foo/bar$\nAllow: /foo/bar/qux\n`, '/foo/bar', false],
    [`${FOO}Disallow: /foo/bar$\nAllow: /foo/bar/qux\n`, '/foo/bar/', true],
    [`${FOO}# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /\n`, '/foo/bar', true],
    [`${FOO}# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /\n`, '/foo/quz', false],
  ],
}

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  it.each(cases)('%j says of %s: %s', (file, path, allowed) => {
    expect(parseRobots(file).rulesFor('FooBot').judge(path).allowed).toBe(allowed)
  })
})
