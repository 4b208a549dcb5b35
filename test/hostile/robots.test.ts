import { describe, expect, it } from 'vitest'
import { steadyClock } from '../../src/base/clock.ts'
import type { FetchRequest } from '../../src/domain/fetch/fetcher.ts'
import { RobotsCache } from '../../src/domain/robots/robots-cache.ts'
import { robotsSites } from '../../testing/misbehaving-web/robots-sites.ts'
import { useHostileWeb } from './hostile-web.ts'

const hostile = useHostileWeb()
const [OPEN, CLOSED, RULES] = [
  [true, true],
  [false, false],
  [true, false],
]

/** Whether the robots.txt of each host allows /public and /private-too. */
const EXPECTED: Readonly<Record<string, readonly [about: string, verdicts: boolean[] | undefined]>> = {
  'robots-good.test': ['rules are obeyed', RULES],
  'robots-401.test': ['401 means everything is allowed', OPEN],
  'robots-403.test': ['403 means everything is allowed', OPEN],
  'robots-404.test': ['404 means everything is allowed', OPEN],
  'robots-410.test': ['410 means everything is allowed', OPEN],
  'robots-429.test': ['429 means not now', CLOSED],
  'robots-500.test': ['500 means not now', CLOSED],
  'robots-503.test': ['503 means not now', CLOSED],
  'robots-reset.test': ['a reset means not now', CLOSED],
  'robots-malformed.test': ['no HTTP means not now', CLOSED],
  'robots-html.test': ['a page has no rules', OPEN],
  'robots-empty.test': ['an empty file has no rules', OPEN],
  'robots-huge.test': ['rules before 5 MB of comment are obeyed', RULES],
  'robots-cut.test': ['a rule cut in two by the limit is dropped', RULES],
  'robots-endless.test': ['rules without end are read up to the limit', RULES],
  'robots-bomb.test': ['a bomb means not now', CLOSED],
  'robots-utf-16.test': ['UTF-16 has no rules', OPEN],
  'robots-bom.test': ['a byte order mark is passed over', RULES],
  'robots-partial-bom.test': ['so is a part of one', RULES],
  'robots-cr.test': ['lines may end in CR', RULES],
  'robots-no-newline.test': ['the last line needs no end', RULES],
  'robots-nul.test': ['a NUL ends what a line means', RULES],
  'robots-groups.test': ['10,000 groups for others are passed over', RULES],
  'robots-no-group.test': ['a rule before any group is ignored', [true, true]],
  'robots-slow.test': ['a Crawl-delay of 10^9 seconds does not hide the rules', RULES],
  'robots-other-delay.test': ['a Crawl-delay for another agent does not hide the rules', RULES],
  'robots-wildcards.test': ['40,000 wildcard rules do not hide the rules', RULES],
  'robots-stars.test': ['10,000 stars match in no time', OPEN],
  'robots-moved.test': ['rules elsewhere are ours all the same', RULES],
  'robots-loop.test': ['going in circles is as good as no file', OPEN],
  'robots-private.test': ['a redirect into a private network means not now', CLOSED],
}

describe('61: robots.txt', () => {
  it.each(Object.entries(EXPECTED).map(([host, [about, verdicts]]) => ({ host, about, verdicts })))(
    '$about ($host)',
    async ({ host, verdicts }) => {
      const { cache, send } = crawler()
      const found = await Promise.all(
        ['/public', '/private-too'].map(
          async (path) => (await cache.load(hostile.web.origin(host) + path, send)).allowed,
        ),
      )
      expect(found).toEqual(verdicts)
      // Only robots.txt was requested, and not repeatedly.
      expect(new Set(hostile.web.judge.hits.map((hit) => hit.path))).toEqual(new Set(['/robots.txt']))
      expect(hostile.web.judge.hits.length).toBeLessThanOrEqual(2)
    },
  )

  it('has an expectation for every robots host of the web', () => {
    expect(Object.keys(EXPECTED).toSorted()).toEqual(Object.keys(robotsSites).toSorted())
  })

  it('names the line that decided', async () => {
    const { cache, send } = crawler()
    const verdict = await cache.load(`${hostile.web.origin('robots-good.test')}/private/x`, send)
    expect(verdict).toMatchObject({ allowed: false, line: { number: 2, text: 'Disallow: /private' } })
  })

  it('applies a Crawl-delay to the agents directly above it', async () => {
    const { cache, send } = crawler()
    const url = `${hostile.web.origin('robots-other-delay.test')}/public`
    await cache.load(url, send)
    expect(cache.rules(url)?.crawlDelayMs).toBeUndefined()
  })

  it('decides about many links of a file full of wildcards', async () => {
    const { cache, send } = crawler()
    const origin = hostile.web.origin('robots-wildcards.test')
    await cache.load(`${origin}/`, send)
    for (let i = 0; i < 20; i++) expect(cache.peek(`${origin}/${'pr'.repeat(4_000)}${i}`)?.allowed).toBe(true)
  })

  it('is followed for at most five redirects', async () => {
    const { cache, send } = crawler()
    hostile.web.serve('robots-chain.test', (exchange) =>
      exchange.reply({ status: 302, headers: { Location: `/robots.txt?${exchange.request.target.length}` } }),
    )
    const verdict = await cache.load(`${hostile.web.origin('robots-chain.test')}/`, send)
    expect(verdict.allowed).toBe(true)
    expect(hostile.web.judge.hits.length).toBeLessThanOrEqual(6)
  })

  it('13: is not used if its certificate is invalid', async () => {
    const { cache, send } = crawler()
    const verdict = await cache.load(`${hostile.web.secureOrigin('expired.test')}/public`, send)
    expect(verdict).toMatchObject({ allowed: false, kind: 'host-failure', outcome: { cause: 'tls' } })
  })

  it.each(['robots-401.test', 'robots-403.test'])(
    'disallows %s with robots.denyOnForbidden',
    async (host) => {
      const { send } = crawler()
      const cache = new RobotsCache(steadyClock, 'Orbweaver', { denyOnForbidden: true })
      const verdict = await cache.load(`${hostile.web.origin(host)}/public`, send)
      expect(verdict).toMatchObject({ allowed: false, kind: 'denied' })
    },
  )
})

it('60: backs off from a host that returns 429 for everything, including robots.txt', async () => {
  const { cache, send } = crawler()
  expect(await cache.load(`${hostile.web.origin('storm.test')}/`, send)).toMatchObject({
    allowed: false,
    kind: 'unreachable',
  })
})

function crawler() {
  const fetcher = hostile.fetcher()
  return {
    cache: new RobotsCache(steadyClock, 'Orbweaver'),
    send: (request: FetchRequest) => fetcher.fetch(request),
  }
}
