import { describe, expect, it } from 'vitest'
import { normalizeUrl } from '../../src/domain/url/normalize-url.ts'
import { useHostileWeb } from './hostile-web.ts'

const hostile = useHostileWeb()

describe('29: cookies', () => {
  it('are neither stored nor sent by default', async () => {
    expect(await cookiesAfter('/cookies/many', false)).toBe('')
  })

  it('are capped for each host', async () => {
    const cookies = (await cookiesAfter('/cookies/many')).split('; ')
    expect(cookies.length).toBeLessThanOrEqual(180)
    expect(cookies.length).toBeGreaterThan(0)
  })

  it('are too-large if there are 10,000 in one response', async () => {
    expect(await hostile.request('/cookies/10000')).toMatchObject({ kind: 'too-large', cause: 'headers' })
  })

  it('are not stored if they exceed the maximum size of a cookie', async () => {
    expect(await cookiesAfter('/cookies/big')).toBe('')
  })

  it('are not stored for a public suffix or another host', async () => {
    expect(await cookiesAfter('/cookies/public-suffix')).toBe('')
  })

  it('with invalid dates last until the end of the crawl, and expired ones are not sent', async () => {
    expect((await cookiesAfter('/cookies/bad-dates')).split('; ').toSorted()).toEqual(['a=1', 'b=1'])
  })

  /** The Cookie header of the request after the one for `route`. */
  async function cookiesAfter(route: string, cookies = true): Promise<string> {
    const fetcher = hostile.fetcher({ cookies })
    await fetcher.fetch({ url: hostile.web.url(route) })
    const echo = await fetcher.fetch({ url: hostile.web.url('/cookies/echo') })
    return echo.kind === 'success' ? Buffer.from(echo.body.bytes).toString() : echo.kind
  }
})

describe('30: Retry-After', () => {
  const bounds = { minRetryAfterMs: 1_000, maxRetryAfterMs: 86_400_000 }

  it.each([
    ['seconds are obeyed', '/retry-after/seconds', 120_000, 120_000],
    ['a fraction of a second counts', '/retry-after/fraction', 1_500, 1_500],
    ['a date is obeyed', '/retry-after/date', 590_000, 600_000],
    ['10^10 seconds are a day', '/retry-after/huge', 86_400_000, 86_400_000],
    ['a negative number is the least', '/retry-after/negative', 1_000, 1_000],
    ['a date in the past is the least', '/retry-after/past', 1_000, 1_000],
  ])('%s', async (_, route, leastMs, mostMs) => {
    const outcome = await hostile.fetch(hostile.web.url(route), bounds)
    if (outcome.kind !== 'rate-limited' || outcome.retryAt === undefined) throw new Error(outcome.kind)
    const waitMs = outcome.retryAt - outcome.timings.startedAt - outcome.timings.totalMs
    expect(Math.round(waitMs)).toBeGreaterThanOrEqual(leastMs)
    expect(Math.round(waitMs)).toBeLessThanOrEqual(mostMs)
  })

  it('ignores an invalid value', async () => {
    const outcome = await hostile.fetch(hostile.web.url('/retry-after/garbage'), bounds)
    expect(outcome).toMatchObject({ kind: 'rate-limited' })
    expect(outcome).not.toHaveProperty('retryAt')
  })
})

describe('52: redirects are reported, hop by hop, and not followed', () => {
  it.each([301, 308])('%i is permanent', async (status) => {
    expect(await hostile.request(`/moved/${status}`)).toMatchObject({
      kind: 'moved',
      permanent: true,
      to: hostile.web.url('/chunked/good'),
    })
  })

  it.each([302, 303, 307])('%i is temporary', async (status) => {
    expect(await hostile.request(`/moved/${status}`)).toMatchObject({
      kind: 'moved',
      permanent: false,
      to: hostile.web.url('/chunked/good'),
    })
  })

  it.each([
    ['an empty Location', '/moved/empty', '/moved/empty'],
    ['a relative Location', '/moved/relative', '/chunked/good?a=1#part'],
    ['a Location in raw UTF-8', '/moved/non-ascii', '/caf%C3%A9%20au%20lait'],
    ['a Location of 12 KB', '/moved/long', `/${'x'.repeat(12_000)}`],
  ])('%s is resolved', async (_, route, path) => {
    expect(await hostile.request(route)).toMatchObject({
      kind: 'moved',
      to: hostile.web.origin('faults.test') + path,
    })
  })

  it.each(['/moved/nowhere', '/moved/broken', '/moved/300', '/moved/304'])(
    '%s leads nowhere: malformed',
    async (route) => {
      expect(await hostile.request(route)).toMatchObject({ kind: 'malformed' })
    },
  )

  it('keeps the scheme for a Location without one', async () => {
    expect(await hostile.request('/moved/scheme-relative')).toMatchObject({
      kind: 'moved',
      to: 'http://other.test/page',
    })
  })

  it('removes the password from a Location', async () => {
    const outcome = await hostile.request('/moved/credentials')
    if (outcome.kind !== 'moved') throw new Error(outcome.kind)
    expect(normalizeUrl(outcome.to)).toEqual({ ok: true, url: 'http://other.test/' })
  })

  it('uses one of two Locations', async () => {
    const outcome = await hostile.request('/moved/twice')
    expect(['moved', 'malformed']).toContain(outcome.kind)
    expect(hostile.web.judge.hits).toHaveLength(1)
  })

  it.each(['/moved/file', '/moved/script'])('rejects the redirect target of %s', async (route) => {
    const outcome = await hostile.request(route)
    if (outcome.kind !== 'moved') throw new Error(outcome.kind)
    expect(await hostile.fetch(outcome.to)).toMatchObject({ kind: 'refused', cause: 'scheme' })
  })

  it('17: rejects the redirect to a mail server', async () => {
    const outcome = await hostile.request('/moved/bad-port')
    if (outcome.kind !== 'moved') throw new Error(outcome.kind)
    expect(await hostile.fetch(outcome.to)).toMatchObject({ kind: 'refused', cause: 'port' })
  })

  it.each(['/moved/self', '/moved/a', '/moved/growing', '/moved/chain?n=9'])(
    'one request for %s is one hit',
    async (route) => {
      expect(await hostile.request(route)).toMatchObject({ kind: 'moved' })
      expect(hostile.web.judge.hits).toHaveLength(1)
    },
  )
})

it.each([
  [401, 'access-denied'],
  [402, 'access-denied'],
  [403, 'access-denied'],
  [404, 'not-found'],
  [406, 'access-denied'],
  [407, 'access-denied'],
  [410, 'gone'],
  [429, 'rate-limited'],
  [451, 'access-denied'],
  [500, 'server-error'],
  [502, 'server-error'],
  [503, 'rate-limited'],
  [504, 'server-error'],
])('60: calls %i %s', async (status, kind) => {
  expect(await hostile.request(`/status/${status}`)).toMatchObject({ kind, response: { status } })
})
