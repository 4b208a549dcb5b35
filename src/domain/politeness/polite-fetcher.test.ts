import { beforeEach, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { Fetcher, FetchRequest } from '../fetch/fetcher.ts'
import { hostOf } from '../url/host-of.ts'
import { HostQueues } from './host-queues.ts'
import { PoliteFetcher, type QueuedRequest } from './polite-fetcher.ts'

/** Notes when each request was sent, and responds when told to. */
class SlowFetcher implements Fetcher {
  readonly sent: Array<{ readonly url: string; readonly at: number }> = []
  readonly #waiting = new Map<string, (outcome: FetchOutcome) => void>()
  readonly #clock: FakeClock

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  fetch({ url }: FetchRequest): Promise<FetchOutcome> {
    this.sent.push({ url, at: this.#clock.now() - START })
    return new Promise((resolve) => this.#waiting.set(url, resolve))
  }

  async response(url: string, status = 404): Promise<void> {
    const response = { status, headers: [], requestHeaders: [], address: '192.0.2.1', protocol: 'http/1.1' }
    const kind = status === 404 ? 'not-found' : 'server-error'
    this.#waiting.get(url)?.({ kind, url, response, timings: { startedAt: this.#clock.now(), totalMs: 1 } })
    await Promise.resolve()
    await Promise.resolve()
  }

  async failRepeatably(url: string): Promise<void> {
    const timings = { startedAt: this.#clock.now(), totalMs: 1 }
    const detail = 'closed'
    this.#waiting.get(url)?.({
      kind: 'network-failure',
      cause: 'reset',
      url,
      timings,
      detail,
      repeatable: true,
    })
    await Promise.resolve()
    await Promise.resolve()
  }

  async close(): Promise<void> {}
}

const START = 1_800_000_000_000
let clock: FakeClock
let web: SlowFetcher
let polite: PoliteFetcher

beforeEach(() => {
  clock = new FakeClock(START)
  web = new SlowFetcher(clock)
  const queues = new HostQueues<QueuedRequest>(clock, { delayMs: 1_000, maxFailures: 2, maxItems: 4 })
  polite = new PoliteFetcher(web, queues, clock, { keyOf: hostOf, maxInFlight: 2 })
})

it('sends the next request of a host when its rest, counted from the end, is over', async () => {
  void polite.fetch({ url: 'http://a.test/1' })
  void polite.fetch({ url: 'http://a.test/2' })
  clock.advance(5_000)
  await web.response('http://a.test/1')
  clock.advance(999)
  expect(web.sent).toHaveLength(1)
  clock.advance(1)
  expect(web.sent).toEqual([
    { url: 'http://a.test/1', at: 0 },
    { url: 'http://a.test/2', at: 6_000 },
  ])
})

it('hands back what came of the request', async () => {
  const outcome = polite.fetch({ url: 'http://a.test/1' })
  await web.response('http://a.test/1')
  expect(await outcome).toMatchObject({ kind: 'not-found', url: 'http://a.test/1' })
})

it('lets other hosts go at once, up to the requests allowed in flight', async () => {
  for (const host of ['a', 'b', 'c']) void polite.fetch({ url: `http://${host}.test/` })
  expect(web.sent.map(({ url }) => hostOf(url))).toEqual(['a.test', 'b.test'])
  await web.response('http://a.test/')
  expect(web.sent.map(({ url }) => hostOf(url))).toEqual(['a.test', 'b.test', 'c.test'])
})

it('makes a host wait for its Crawl-delay, also when it is learned during the rest', async () => {
  void polite.fetch({ url: 'http://a.test/robots.txt' })
  await web.response('http://a.test/robots.txt')
  void polite.fetch({ url: 'http://a.test/1' })
  polite.setCrawlDelay('http://a.test/1', 3_000)
  clock.advance(2_999)
  expect(web.sent).toHaveLength(1)
  clock.advance(1)
  expect(web.sent).toHaveLength(2)
})

it('responses for a host that is given up, to those who wait and those who come', async () => {
  const outcomes = ['1', '2', '3'].map((path) => polite.fetch({ url: `http://a.test/${path}` }))
  await web.response('http://a.test/1', 500)
  clock.advance(60_000)
  await web.response('http://a.test/2', 500)
  expect(await outcomes[2]).toMatchObject({
    kind: 'blocked',
    url: 'http://a.test/3',
    detail: 'too-many-failures',
  })
  expect(await polite.fetch({ url: 'http://a.test/4' })).toMatchObject({
    kind: 'blocked',
    retryAt: expect.any(Number),
  })
  expect(web.sent).toHaveLength(2)
})

it('turns away what there is no room for', async () => {
  for (let i = 0; i < 4; i++) void polite.fetch({ url: `http://a.test/${i}` })
  expect(await polite.fetch({ url: 'http://a.test/5' })).toMatchObject({ kind: 'blocked' })
})

it('responses all who still wait when it is closed', async () => {
  void polite.fetch({ url: 'http://a.test/1' })
  const waiting = polite.fetch({ url: 'http://a.test/2' })
  await polite.close()
  expect(await waiting).toMatchObject({ kind: 'blocked', detail: 'the crawler is closing' })
})

it('repeats once what may be repeated, when the delay of the host is over', async () => {
  const outcome = polite.fetch({ url: 'http://a.test/1' })
  await web.failRepeatably('http://a.test/1')
  clock.advance(999)
  expect(web.sent).toHaveLength(1)
  clock.advance(1)
  expect(web.sent.map(({ at }) => at)).toEqual([0, 1_000])
  await web.failRepeatably('http://a.test/1')
  expect(await outcome).toMatchObject({ cause: 'reset' })
  clock.advance(5_000)
  expect(web.sent).toHaveLength(2)
})
