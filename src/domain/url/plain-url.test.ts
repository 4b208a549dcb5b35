import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { hostileUrl, ordinaryUrl } from '../../../testing/url-arbitraries.ts'
import { CandidateUrl } from './candidate-url.ts'
import { DEFAULT_RULES } from './default-rules.ts'
import { normalizeUrl } from './normalize-url.ts'
import { findPlainEnd, MAX_PLAIN_LENGTH, MAX_PLAIN_PARAMETERS, MAX_PLAIN_SEGMENTS } from './plain-url.ts'
import { parseRuleFile } from './rule-file.ts'
import { trapFilter } from './trap-filter.ts'
import { filterChain } from './url-filter.ts'

function isPlain(url: string): boolean {
  const line = Buffer.from(`${url}\n`)
  return findPlainEnd(line, 0) === line.length - 1
}

/** The narrowest limits with which the filter still asserts that it accepts plain URLs, in the year 2022. */
const traps = trapFilter(new FakeClock(Date.UTC(2022, 0)), {
  maxPathSegments: MAX_PLAIN_SEGMENTS + 1,
  maxParameters: MAX_PLAIN_PARAMETERS,
  maxSameParameters: MAX_PLAIN_PARAMETERS,
  earliestYear: 1900,
})
const filter = filterChain([parseRuleFile(DEFAULT_RULES, 'default rules'), traps])

/** What normaliser and filters make of a URL, as text. */
function judged(url: string): string {
  const normal = normalizeUrl(url)
  if (!normal.ok) return normal.reason
  const verdict = filter.judge(new CandidateUrl(normal.url))
  return verdict.accepted ? normal.url : verdict.rule
}

/** Parts of paths and queries that rules are about, and some that are close to them. */
const PARTS = [
  ...['/a/a/a', '/page/page/page', '/a/b/a/b/a/b', '/a/x1/a/page/a'],
  ...['a', 'b', 'page', 'x1', 'A-b_c', '~u', 'a.b', 'v1.2.3', 'index.html', 'a.php', 'x.pdf', 'a.', '.a'],
  ...['a.zip', 'a.GIF', 'a.js', 'a.gz', 'a.xml.gz', 'a.7z', 'a.zip.html', 'a.html.zip', 'html', '.html'],
  ...[
    '2024',
    '1899',
    '1900',
    '2025',
    '2026',
    '3000',
    '05',
    '07',
    '5',
    '2024-05-07',
    '3000-05-07',
    '13000-05',
  ],
  ...[
    'a3000-05-07',
    '3000-5',
    'calendar',
    '/',
    '/',
    '/',
    '/',
    '/',
    '?',
    '?',
    '&',
    '&',
    '=',
    '=',
    '.',
    '-',
    '%41',
  ],
  ...[
    'year=3000',
    'YEAR=1000',
    'yr=3000',
    'sid=1',
    'newsid=2',
    'nid',
    'replytocom=1',
    'add-to-cart=2',
    'id=5',
  ],
  ...[
    'add_to_wishlist=3',
    'sort=a',
    'a=b=c',
    'u=http://b.example/a.zip',
    ';',
    '#',
    "'",
    '*',
    '$',
    '[',
    ' ',
    'é',
    '\t',
    '\r',
  ],
]
const path = fc.array(fc.constantFrom(...PARTS), { maxLength: 9 }).map((parts) => parts.join(''))
const HOSTS = [
  'h.example',
  'www.a-b.example',
  'a--b.example',
  'xn--.example',
  'xn--a.example',
  '-a.example',
  'a-.example',
  '1.2.3.4',
  'h.1',
  'h.zip',
  'h_1.example',
  'h.example:80',
  'H.example',
  'localhost',
  '',
  '.',
  'a..example',
  'é.example',
  `${'h'.repeat(64)}.example`,
]
const trickyUrl = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'http:/', 'HTTP://', 'httpss://'),
    fc.constantFrom(...HOSTS, ...Array(20).fill('h.example')),
    fc.constantFrom('/', '/', ''),
    path,
  )
  .map((parts) => parts.join(''))

describe('findPlainEnd', () => {
  it.each([
    'http://example.org/',
    'https://www.example.org/a/b-c/d_e/f/',
    'https://example.org/news/2024/05/a-story-12345.html',
    'https://example.org/2024/05/07/story',
    'https://example.org/v1.2.3/a.php?id=12&page=2',
    'https://example.org/a?q=a+b&date=2024-05-07&x=a/b',
    'https://my-shop.co.uk/item,5:(b)@c!',
  ])('recognises %s', (url) => expect(isPlain(url)).toBe(true))

  it.each([
    `http://example.org/${'a'.repeat(MAX_PLAIN_LENGTH)}`,
    'http://example.org/a/bb/ccc/dddd/e',
    'http://example.org/aa/bb/cc',
    'http://example.org/?a&b&c&d&e',
    'http://example.org/a.bin',
    'http://127.0.0.1/',
    '# http://example.org/',
    ' http://example.org/',
    'http://example.org/\tscore=2',
    'http://example.org/\r',
    '',
  ])('leaves %j to the rules', (url) => expect(isPlain(url)).toBe(false))

  it('recognises only URLs that the normaliser keeps and the filters accept', () => {
    let plain = 0
    fc.assert(
      fc.property(fc.oneof(trickyUrl, trickyUrl, ordinaryUrl, hostileUrl), (url) => {
        if (!isPlain(url)) return
        plain++
        expect(judged(url)).toBe(url)
      }),
      { numRuns: 20_000 },
    )
    expect(plain).toBeGreaterThan(500)
  })

  it('needs the end of the line', () => {
    const line = Buffer.from('http://example.org/a?b=c\n')
    for (let length = 0; length < line.length; length++)
      expect(findPlainEnd(line.subarray(0, length), 0)).toBe(-1)
    expect(findPlainEnd(line, 0)).toBe(line.length - 1)
  })

  it('is not asserted by a trap filter with narrower limits', () => {
    const clock = new FakeClock(Date.UTC(2022, 0))
    expect(traps.acceptsPlain).toBe(true)
    expect(trapFilter(clock, { maxPathSegments: MAX_PLAIN_SEGMENTS }).acceptsPlain).toBeUndefined()
    expect(trapFilter(clock, { maxParameters: 3 }).acceptsPlain).toBeUndefined()
    expect(trapFilter(clock, { maxSameParameters: 3 }).acceptsPlain).toBeUndefined()
    expect(trapFilter(clock, { earliestYear: 1901 }).acceptsPlain).toBeUndefined()
    expect(trapFilter(new FakeClock(Date.UTC(2021, 0))).acceptsPlain).toBeUndefined()
  })
})
