import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { completeConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { hasRewrites, urlNormalizer } from './url-normalizer.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-normalizer-'))
afterAll(() => rmSync(folder, { recursive: true }))

const normalizerOf = (normalizer: OrbweaverConfig['normalizer'] = {}) =>
  urlNormalizer(completeConfig({ normalizer }, 'test').normalizer)
const normal = (url: string, normalizer?: OrbweaverConfig['normalizer']) => normalizerOf(normalizer)(url)

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

it.each<[string, OrbweaverConfig['normalizer'], string]>([
  ['patterns', { patterns: [{ pattern: '/print$', replacement: '/' }] }, 'http://a.test/x/'],
  ['hosts', { hosts: { 'a.test': 'b.test' } }, 'http://b.test/x/print'],
  ['protocols', { protocols: { 'a.test': 'https' } }, 'https://a.test/x/print'],
  ['slashes', { slashes: { 'a.test': 'add' } }, 'http://a.test/x/print/'],
  ['functions', { custom: [(url) => url.replace('/x', '/y')] }, 'http://a.test/y/print'],
])('rewrites URLs by %s', (_what, normalizer, url) => {
  expect(normal('http://a.test/x/print', normalizer)).toEqual({ ok: true, url })
  expect(hasRewrites(completeConfig({ normalizer }, 'test').normalizer)).toBe(true)
})

it('rewrites nothing by default', () =>
  expect(hasRewrites(completeConfig({}, 'test').normalizer)).toBe(false))

it.each<[string, (name: string) => OrbweaverConfig['normalizer'], string, string]>([
  ['hosts', (hosts) => ({ hosts }), '# comment\r\n*.a.test a.test\r\n', 'http://a.test/x'],
  ['protocols', (protocols) => ({ protocols }), 'b.a.test\thttps\n', 'https://b.a.test/x'],
  ['slashes', (slashes) => ({ slashes }), 'b.a.test +\n', 'http://b.a.test/x/'],
])('reads %s from a file', (name, settings, text, url) =>
  expect(normal('http://b.a.test/x', settings(file(name, text)))).toEqual({ ok: true, url }),
)

it.each<[string, OrbweaverConfig['normalizer'], RegExp]>([
  ['a missing file', { hosts: '/no/such/file' }, /^\/no\/such\/file: cannot read the rule file \(ENOENT\)/],
  [
    'a wrong line',
    { slashes: file('wrong', 'a.test +\nb.test yes\n') },
    /wrong:2: expected a host name and \+ or -; found 'b.test yes'/,
  ],
  [
    'a wrong host',
    { hosts: { 'http://a.test': 'b.test' } },
    /^normalizer.hosts: 'http:\/\/a.test' is not a host name/,
  ],
  ['an empty XML file', { patterns: file('empty.xml', '<regex-normalize/>') }, /empty.xml: no rules found/],
  [
    'a rule without pattern',
    { patterns: file('no.xml', '<regex><substitution>a</substitution></regex>') },
    /no.xml: rule 1 has no <pattern>/,
  ],
])('rejects %s', (_what, normalizer, message) => expect(() => normalizerOf(normalizer)).toThrow(message))

describe('regex-normalize.xml', () => {
  // Rules like those that Nutch ships, with the results that Nutch has.
  const patterns = file(
    'regex-normalize.xml',
    `<?xml version="1.0"?>
<regex-normalize>
<!-- session ids: <regex><pattern>commented out</pattern></regex> -->
<regex>
  <pattern>(?i)(;?\\b_?(l|j|bv_)?(sid|phpsessid|sessionid)=.*?)(\\?|&amp;|#|$)</pattern>
  <substitution>$4</substitution>
</regex>
<regex><pattern>\\?&amp;</pattern><substitution>\\?</substitution></regex>
<regex><pattern>&amp;{2,}</pattern><substitution>&amp;</substitution></regex>
<regex><pattern>[\\?&amp;\\.]$</pattern><substitution></substitution></regex>
<regex><pattern>(?&lt;!:)/{2,}</pattern><substitution>/</substitution></regex>
</regex-normalize>`,
  )

  it.each([
    ['http://a.test/?PHPSESSID=abc&f=2', 'http://a.test/?f=2'],
    ['http://a.test/?f=2&PHPSESSID=abc&q=3', 'http://a.test/?f=2&q=3'],
    ['http://a.test/x.html;jsessionid=AB?p=1', 'http://a.test/x.html?p=1'],
    ['http://a.test/?NewsID=15', 'http://a.test/?NewsID=15'],
    ['http://a.test/?addressid=2', 'http://a.test/?addressid=2'],
    ['http://a.test/?x=y&&&z=a', 'http://a.test/?x=y&z=a'],
    ['http://a.test//b//c?', 'http://a.test/b/c'],
  ])('normalizes %s to %s', (url, expected) =>
    expect(normal(url, { patterns, removeSessionIds: false })).toEqual({ ok: true, url: expected }),
  )
})
