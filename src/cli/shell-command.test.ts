import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { command } from '../../testing/command-line.ts'
import { page, reply } from '../../testing/misbehaving-web/route.ts'
import { type MisbehavingWeb, startMisbehavingWeb } from '../../testing/misbehaving-web.ts'
import { RecordingTerminal } from '../../testing/recording-terminal.ts'
import { run } from './main.ts'

const QUICK = ['--delay', '0.01', '--email', 'test@localhost']

let web: MisbehavingWeb
let base: string

beforeAll(async () => {
  web = await startMisbehavingWeb()
  web.serve('127.0.0.1', {
    '/robots.txt': reply({
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /secret',
    }),
    '/': page(
      '<title>Hello \x1b[31mred</title><h1>One</h1><p class="a">a</p><p class="a">b \x1b[2J</p><a href="/next">n</a>',
    ),
    '/next': page('<title>Next</title><h1>Two</h1>'),
    '/old': reply({ status: 301, headers: { location: '/next' } }),
    '/round': reply({ status: 302, headers: { location: '/round' } }),
    '/gone': reply({ status: 410, headers: { 'content-type': 'text/html' }, body: '<h1>Gone</h1>' }),
    '/out': reply({
      status: 302,
      headers: { location: `${web.origin('127.0.0.1').replace('127.0.0.1', '127.0.0.2')}/` },
    }),
  })
  base = web.origin('127.0.0.1')
})

beforeEach(() => {
  // The environment of the developer must not change the result.
  for (const name of ['AGENT', 'CONTACT', 'EMAIL', 'PROXY']) vi.stubEnv(`ORBWEAVER_${name}`, undefined)
  web.judge.reset()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await web.close()
})

function shell(path: string, ...args: string[]) {
  return command(['shell', `${base}${path}`, ...QUICK, ...args])
}

async function evaluated(code: string, path = '/'): Promise<string> {
  const { exitCode, stdout, stderr } = await shell(path, '--eval', code)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}

/** The output for lines from standard input. */
async function typed(...lines: string[]): Promise<string[]> {
  const { exitCode, stdout } = await command(['shell', `${base}/`, ...QUICK], lines.join('\n'))
  expect(exitCode).toBe(0)
  return stdout.trimEnd().split('\n')
}

describe('--eval', () => {
  it.each([
    ["css('h1').text()", 'One\n'],
    ["css('h1').text();", 'One\n'],
    ["xpath('//p').length", '2\n'],
    ["css('p')", '<p class="a">a</p>\n<p class="a">b  [2J</p>\n'],
    ["css('h2')", 'nothing found\n'],
    ["[...css('h1')]", '[ <h1>One</h1> ]\n'],
    ["({ first: css('h1').text(), n: css('p').length })", "{ first: 'One', n: 2 }\n"],
    ["(await fetch('/next')).css('h1').text()", 'Two\n'],
    ["await fetch('/next'), page.text('title')", 'Next\n'],
    ["const n = css('p').length; if (n === 2) view()", expect.stringContaining('links     1 link\n')],
    ['undefined', ''],
  ])('prints the value of %s', async (code, expected) => {
    expect(await evaluated(code)).toEqual(expected)
  })

  it('shows a page with its title, without control characters', async () => {
    expect(await evaluated('page')).toMatch(/^Page http:.*\/ · 200 · text\/html · utf-8 · \d+ bytes\n$/)
    const view = await evaluated('view()')
    expect(view).toMatch(
      /^url {7}http:.*\nresponse {2}200 .*\ntitle {5}Hello +\[31mred\nlinks {5}1 link\ntext {6}One/,
    )
    expect(view).not.toContain('\x1b')
  })

  it('shows the first of many elements', async () => {
    const many = await evaluated("page.css('h1').xpath('//p|//h1|//title|//a|//node()')")
    expect(many.split('\n').length).toBeLessThan(25)
  })

  it('prints text unchanged if the output is not a terminal', async () => {
    expect(await evaluated('page.body')).toContain('\x1b[31mred')
  })

  it('prints one document with --json', async () => {
    const { stdout } = await shell('/', '--json', '--eval', "[page, css('h1')]")
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ url: `${base}/`, status: 200, contentType: 'text/html' }),
      ['<h1>One</h1>'],
    ])
    expect((await shell('/', '--json', '--eval', 'undefined')).stdout).toBe('null\n')
    expect(await shell('/', '--json')).toMatchObject({ exitCode: 2 })
  })

  it.each([
    ["css('h1[')", /^error: BadSelector: CSS selector 'h1\['.*\n$/],
    ['foo.bar', 'error: ReferenceError: foo is not defined\n'],
    ["css('h1'", /^error: SyntaxError: .*\n$/],
    ["await fetch('/secret/x')", /^error: PageUnavailable: .*robots\.txt: .*\n$/],
    ["throw 'text'", "error: 'text'\n"],
  ])('reports the error of %s without a stack', async (code, message) => {
    const { exitCode, stdout, stderr } = await shell('/', '--eval', code)
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' })
    expect(stderr).toMatch(message)
  })
})

describe('the page', () => {
  it('is fetched politely, after robots.txt', async () => {
    await evaluated("await fetch('/next')")
    expect(web.judge.hits.map(({ path }) => path)).toEqual(['/robots.txt', '/', '/next'])
    expect(web.judge.violations({ minGapMs: 10 })).toEqual([])
  })

  it('is the target of a redirect, and the redirect is reported', async () => {
    expect(await evaluated('page.url', '/old')).toBe(`${base}/next\n`)
    expect(await evaluated('view()', '/old')).toContain(`from      ${base}/old\n`)
  })

  it('may be an error page', async () => {
    expect(await evaluated("[page.status, css('h1').text()]", '/gone')).toBe("[ 410, 'Gone' ]\n")
  })

  it.each([
    ['/secret/x', /robots\.txt: .*Disallow: \/secret/],
    ['/round', /more than \d+ redirects/],
    ['/out', /127\.0\.0\.2/],
  ])('cannot be fetched from %s, with a one-line error', async (path, message) => {
    const { exitCode, stderr } = await shell(path, '--eval', 'page')
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/^error: [^\n]*\n$/)
    expect(stderr).toMatch(message)
  })

  it('is cancelled when interrupted, also while it waits for its slot', async () => {
    const terminal = new RecordingTerminal()
    const ended = run(['shell', `${base}/`, '--delay', '60', '--eval', 'page'], terminal)
    await vi.waitFor(() => expect(web.judge.hits.at(-1)?.end).toBeDefined())
    terminal.interrupt()
    expect(await ended).toBe(3)
    expect(terminal.stderr).toMatch(/error: [^\n]*closing\n$/)
  })

  it('must have a URL', async () => {
    expect(await command(['shell', 'example.org', '--eval', 'page'])).toMatchObject({ exitCode: 2 })
  })
})

describe('lines from standard input', () => {
  it('are evaluated in order, also if one awaits a promise', async () => {
    expect(
      await typed(
        "css('h1').text()",
        "const next = await fetch('/next')",
        "next.css('h1')",
        'page === next',
        "[...css('title')",
        '].length',
      ),
    ).toEqual(["'One'", '<h1>Two</h1>', 'true', '1'])
  })

  it('continue after an error, which is reported without a stack', async () => {
    expect(await typed("css('[')", 'foo', "await fetch('/secret')", 'page = 3', '1 + 1')).toEqual([
      expect.stringMatching(/^Uncaught BadSelector: /),
      'Uncaught ReferenceError: foo is not defined',
      expect.stringMatching(/^Uncaught PageUnavailable: /),
      expect.stringMatching(/^Uncaught TypeError: page must be a page/),
      '2',
    ])
  })

  it('can replace the page, and a missing await is reported', async () => {
    expect(
      await typed("page = await fetch('/next')", "fetch('/secret')", '.clear', "css('h1').text()"),
    ).toEqual([
      expect.stringMatching(/^Page http:.*\/next · 200/),
      'a promise: add await',
      'Clearing context...',
      "'Two'",
    ])
  })
})
