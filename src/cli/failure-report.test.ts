import { expect, it } from 'vitest'
import { exampleLines, failureLines, nothingFetched, nothingFetchedText } from './failure-report.ts'

it.each([
  [
    'dns-not-found',
    'dns-not-found: a.test: ENOTFOUND',
    'a.test does not resolve (ENOTFOUND). Check the spelling',
  ],
  ['network-dns-not-found', 'a.test: ENOTFOUND', 'a.test does not resolve (ENOTFOUND). Check the spelling'],
  [
    'dns-failed',
    'dns-failed: a.test: ESERVFAIL',
    'the DNS lookup of a.test failed (ESERVFAIL). Check the network',
  ],
  [
    'connect-refused',
    'connect-refused: ECONNREFUSED',
    'a.test refused the connection (ECONNREFUSED). Check that',
  ],
  [
    'connect-timeout',
    'connect-timeout: 9 s',
    'a.test did not accept the connection in time (9 s). Check the network',
  ],
  [
    'headers-timeout',
    'headers-timeout: no response in 5 ms',
    'a.test did not respond in time (no response in 5 ms).',
  ],
  [
    'too-slow',
    'robots.txt could not be fetched (too-slow); next attempt after 1970',
    'a.test did not respond in time (request for robots.txt; next attempt after 1970).',
  ],
  ['reset', 'reset: ECONNRESET', 'a.test closed the connection (ECONNRESET).'],
  ['proxy', 'proxy: 407', 'the proxy failed (407). Check --proxy'],
  [
    'tls',
    'tls: expired',
    'the TLS connection to a.test failed (expired). Check the certificate of the site; --insecure-host',
  ],
  [
    'HTTP 429',
    'HTTP 429',
    'a.test returned HTTP 429 (too many requests). The site limits the request rate: increase --delay',
  ],
  [
    'http-403',
    'the server returned 403',
    'a.test returned HTTP 403 (forbidden). The site denies access: identify',
  ],
  ['HTTP 404', 'HTTP 404', 'a.test returned HTTP 404 (not found). Check the seed URLs.'],
  ['HTTP 500', 'HTTP 500', 'a.test returned HTTP 500 (internal server error). The server has an error'],
  [
    'HTTP 503 for robots.txt',
    'robots.txt returned 503',
    'robots.txt of a.test returned HTTP 503 (service unavailable)',
  ],
  ['robots-unreachable', 'robots.txt returned 503', 'robots.txt of a.test returned 503. Without it'],
  [
    'robots.txt disallows',
    'robots.txt: line 2: Disallow: /',
    'robots.txt of a.test disallows http://a.test/ (line 2',
  ],
  [
    'redirect not followed (scope)',
    'scope: b.test',
    'redirects to a URL that this crawl does not fetch: scope: b.test',
  ],
  [
    'address',
    'address: not public',
    'a.test was not requested: not public. If the host is in your private network',
  ],
  [
    'handler-threw',
    'handler parse: boom',
    'every page failed in the spider: handler parse: boom (http://a.test/). Fix',
  ],
  ['something else', 'why\nnot', 'http://a.test/: why not. Use orbweaver check'],
])('tells the cause and a remedy for %s', (kind, reason, expected) => {
  const text = nothingFetchedText([{ kind, count: 1, url: 'http://a.test/', reason }])
  expect(text).toMatch(/^0 pages: /)
  expect(text).toContain(expected)
  expect(text).not.toContain('\n')
})

const FAILURES = [
  {
    ...{ kind: 'HTTP 404', count: 130, url: 'http://a.test/0', reason: 'HTTP 404' },
    more: [1, 2, 3, 4].map((i) => ({ url: `http://a.test/${i}`, reason: 'HTTP 404' })),
  },
  { kind: 'tls', count: 1, url: 'https://b.test/', reason: 'tls: expired' },
]

it('counts the other failures', () => {
  expect(nothingFetched(FAILURES).error).toMatchObject({ code: 'NOTHING_FETCHED' })
  expect(nothingFetchedText(FAILURES)).toBe(
    '0 pages: a.test returned HTTP 404 (not found); 129 more requests failed in the same way; also 1 × TLS failed. Check the seed URLs.',
  )
})

it('lists kinds with their counts, and fills up with examples of the most frequent one', () => {
  expect(failureLines(FAILURES, 'orbweaver readdb d --stats')).toEqual([
    '  130  HTTP 404 (not found)  http://a.test/0',
    '                             http://a.test/1',
    '                             http://a.test/2',
    '                             http://a.test/3',
    '    1  TLS failed            https://b.test/  expired',
    '  and 126 more: orbweaver readdb d --stats',
  ])
})

it('lists the first failed requests of a spider with code and reason', () => {
  expect(exampleLines(FAILURES)).toEqual([
    '  HTTP 404  http://a.test/0  HTTP 404',
    '  tls       https://b.test/  tls: expired',
    '  HTTP 404  http://a.test/1  HTTP 404',
    '  and 128 more',
  ])
})

it('fits 80 columns', () => {
  const long = [{ kind: 'tls', count: 1, url: `https://b.test/${'x'.repeat(200)}`, reason: 'tls: expired' }]
  for (const line of [...failureLines(long), ...exampleLines(long)]) expect(line).toHaveLength(80)
})
