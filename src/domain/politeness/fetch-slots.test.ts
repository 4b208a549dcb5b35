import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import type { RequestObserver } from '../fetch/request-observer.ts'
import type { Slot } from './fetch-slot.ts'
import { FetchSlots } from './fetch-slots.ts'

/** Counts the timers that are set. */
class CountingClock extends FakeClock {
  set = 0

  override after(ms: number, run: () => void): () => void {
    this.set++
    return super.after(ms, run)
  }
}

const clock = new CountingClock()
const RESPONSE = { status: 404, headers: [], requestHeaders: [], address: '', protocol: 'http/1.1' }

/** Slots with a fetcher whose requests end when the test calls `end`, or when they are aborted. */
function slotsWith({
  threads = 10,
  delayMs = 1_000,
  maxInFlight = 1,
  observer,
}: {
  threads?: number
  delayMs?: number
  maxInFlight?: number
  observer?: RequestObserver
} = {}) {
  const sent: Array<FetchRequest & { end(outcome?: Partial<FetchOutcome>): void }> = []
  const fetcher = {
    fetch: (request: FetchRequest) =>
      new Promise<FetchOutcome>((resolve) => {
        const { url, signal } = request
        const timings = { startedAt: clock.now(), totalMs: 0 }
        const end = (outcome: Partial<FetchOutcome> = { kind: 'not-found', response: RESPONSE }) =>
          resolve(
            signal?.aborted
              ? { kind: 'network-failure', cause: 'aborted', url, timings, detail: '' }
              : ({ ...outcome, url, timings } as FetchOutcome),
          )
        signal?.addEventListener('abort', () => end(), { once: true })
        sent.push({ ...request, end })
      }),
    close: () => Promise.resolve(),
  }
  const slots = new FetchSlots(clock, fetcher, {
    threads,
    hungAfterMs: 60_000,
    keyOf: (url) => new URL(url).host,
    politeness: { delayMs, maxInFlight },
    ...withoutUndefined({ observer }),
  })
  return { slots, sent }
}

/** Waits until everything that waits for no timer is done. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('gives the request after an aborted one a new signal', async () => {
  const { slots, sent } = slotsWith({ delayMs: 0 })
  for (const host of ['a', 'b']) void slots.fetchRobots({ url: `http://${host}.test/` })
  await settled()
  sent[1]?.end()
  await settled()
  slots.abort()
  await settled()
  for (const host of ['c', 'd']) void slots.fetchRobots({ url: `http://${host}.test/` })
  await settled()
  expect(sent.map(({ signal }) => signal?.aborted)).toEqual([true, false, false, false])
  expect(sent[2]?.signal).not.toBe(sent[3]?.signal)
})

it('requests a host at the end of its delay, with one timer per request', async () => {
  const { slots, sent } = slotsWith()
  const hosts = ['a', 'b', 'c', 'd', 'e']
  for (const host of [...hosts, ...hosts]) void slots.fetchRobots({ url: `http://${host}.test/` })
  await settled()
  const before = clock.set
  for (const request of sent.slice()) {
    request.end()
    await settled()
    clock.advance(10)
  }
  clock.advance(949)
  await settled()
  expect(sent).toHaveLength(5)
  for (const host of hosts) {
    clock.advance(host === 'a' ? 1 : 10)
    await settled()
    expect(sent.at(-1)?.url).toBe(`http://${host}.test/`)
  }
  expect(clock.set - before).toBe(hosts.length)
})

it('has no timer while all threads are busy, and continues when one is free', async () => {
  const { slots, sent } = slotsWith({ threads: 1 })
  for (const host of ['a', 'a', 'b']) void slots.fetchRobots({ url: `http://${host}.test/` })
  await settled()
  sent[0]?.end()
  await settled()
  expect(sent.map(({ url }) => url)).toEqual(['http://a.test/', 'http://b.test/'])
  clock.advance(5_000)
  await settled()
  expect(sent).toHaveLength(2)
  sent[1]?.end()
  await settled()
  expect(sent).toHaveLength(3)
})

describe('a host with several requests in flight, whose requests are prepared before they are sent', () => {
  /** Adds a request for each path. It is sent when the test calls `send`. */
  function prepared(slots: FetchSlots, ...paths: string[]) {
    return paths.map((path) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const outcome = Promise.withResolvers<FetchOutcome>()
      slots.add({
        ...{ key: 'a.test', priority: 0, queuedAt: 0 },
        granted: async (slot) => {
          await promise
          await slot.send({ url: `http://a.test${path}` }).then(outcome.resolve)
        },
        rejected: () => {},
      })
      return { send: resolve, outcome: outcome.promise }
    })
  }

  async function advance(ms: number) {
    clock.advance(ms)
    await settled()
  }

  it('starts the next one a delay after the request was sent, not after its slot was granted', async () => {
    const { slots, sent } = slotsWith({ maxInFlight: 3 })
    const [one, two] = prepared(slots, '/1', '/2')
    two?.send()
    await advance(0)
    await advance(900)
    one?.send()
    await advance(0)
    await advance(999)
    expect(sent.map(({ url }) => url)).toEqual(['http://a.test/1'])
    await advance(1)
    expect(sent.map(({ url }) => url)).toEqual(['http://a.test/1', 'http://a.test/2'])
  })

  it('sends a request that was prepared for long in the next slot if others started meanwhile', async () => {
    const { slots, sent } = slotsWith({ maxInFlight: 3 })
    const [one, two, three] = prepared(slots, '/1', '/2', '/3')
    two?.send()
    three?.send()
    await advance(0)
    await advance(1_000)
    one?.send()
    await advance(0)
    expect(sent.map(({ url }) => url)).toEqual(['http://a.test/2'])
    await advance(1_000)
    await advance(1_000)
    expect(sent.map(({ url }) => url.at(-1))).toEqual(['2', '1', '3'])
    for (const request of sent) request.end()
    expect(await one?.outcome).toMatchObject({ kind: 'not-found' })
    await settled()
    expect(slots.active).toBe(0)
  })

  it.each([
    ['the host was parked', (slots: FetchSlots) => slots.setCrawlDelay('a.test', 1e9), 'blocked'],
    ['the crawl stopped', (slots: FetchSlots) => slots.cancelWaiting('stopped'), 'network-failure'],
  ])('does not send it if %s', async (_title, change, kind) => {
    const { slots, sent } = slotsWith({ maxInFlight: 3 })
    const [one, two] = prepared(slots, '/1', '/2')
    two?.send()
    await advance(0)
    await advance(1_000)
    sent[0]?.end()
    await settled()
    if (kind === 'blocked') change(slots)
    one?.send()
    await settled()
    if (kind !== 'blocked') change(slots)
    expect(await one?.outcome).toMatchObject({ kind })
    expect(sent).toHaveLength(1)
    await settled()
    expect(slots.active).toBe(0)
  })
})

describe('a request that may be repeated', () => {
  const RESET = { kind: 'network-failure', cause: 'reset', detail: 'closed', repeatable: true } as const
  const url = 'http://a.test/'

  it('is repeated once, in the next slot of its host, before other requests; another host gets the thread meanwhile', async () => {
    const { slots, sent } = slotsWith({ threads: 1 })
    const outcome = slots.fetchRobots({ url })
    for (const key of ['a.test', 'b.test'])
      slots.add({
        key,
        priority: 0,
        queuedAt: 0,
        granted: async (slot) => void (await slot.send({ url: `http://${key}/next` })),
        rejected: () => {},
      })
    await settled()
    sent[0]?.end(RESET)
    await settled()
    expect(sent.map((request) => request.url)).toEqual([url, 'http://b.test/next'])
    sent[1]?.end()
    clock.advance(999)
    await settled()
    expect(sent).toHaveLength(2)
    clock.advance(1)
    await settled()
    expect(sent.at(-1)?.url).toBe(url)
    sent[2]?.end(RESET)
    expect(await outcome).toMatchObject(RESET)
    await settled()
    expect(slots.active).toBe(0)
    clock.advance(1_000)
    await settled()
    expect(sent.at(-1)?.url).toBe('http://a.test/next')
    expect(slots.active).toBe(1)
  })

  it('does not count as a failure of its host', async () => {
    const { slots, sent } = slotsWith()
    void slots.fetchRobots({ url })
    await settled()
    sent[0]?.end(RESET)
    await settled()
    expect(slots.stateOf('a.test')?.failures ?? 0).toBe(0)
  })

  it('is aborted if the crawl stops first', async () => {
    const { slots, sent } = slotsWith()
    const outcome = slots.fetchRobots({ url })
    await settled()
    sent[0]?.end(RESET)
    await settled()
    slots.cancelWaiting('interrupted')
    expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted', detail: 'interrupted' })
    await settled()
    expect(slots.active).toBe(0)
  })
})

describe('an observer', () => {
  it('is told about each request and its outcome', async () => {
    const events: string[] = []
    const observer: RequestObserver = {
      sent: ({ key, purpose }) => events.push(`sent ${key} ${purpose}`),
      ended: ({ key }, outcome) => events.push(`ended ${key} ${outcome?.kind}`),
    }
    const { slots, sent } = slotsWith({ observer })
    const outcome = slots.fetchRobots({ url: 'http://a.test/robots.txt' })
    await settled()
    sent[0]?.end()
    await outcome
    expect(events).toEqual(['sent a.test robots', 'ended a.test not-found'])
  })

  it('is told when a request was queued and sent, and after the processing of its response', async () => {
    const events: string[] = []
    const start = clock.now()
    const observer: RequestObserver = {
      sent: ({ queuedAt, startedAt }) => events.push(`sent ${queuedAt - start} ${startedAt - start}`),
      ended: () => events.push('ended'),
      processed: ({ url }) => events.push(`processed ${url}`),
    }
    const { slots, sent } = slotsWith({ observer })
    const url = 'http://a.test/'
    for (const isPassed of [true, false])
      slots.add({
        ...{ key: 'a.test', priority: 0, queuedAt: start },
        granted: async (slot) => {
          if (isPassed) return slot.pass()
          clock.advance(300)
          await slot.send({ url })
          events.push('handled')
        },
        rejected: () => {},
      })
    await settled()
    sent[0]?.end()
    await settled()
    expect(events).toEqual(['sent 0 300', 'ended', 'handled', 'processed http://a.test/'])
  })
})

describe('a pause', () => {
  const URLS = ['a', 'b', 'c'].map((host) => `http://${host}.test/`)

  it('sends nothing, finishes the requests in flight, and continues in order', async () => {
    const { slots, sent } = slotsWith({ threads: 1, delayMs: 0 })
    const outcomes = URLS.map((url) => slots.fetchRobots({ url }))
    await settled()
    slots.pause()
    expect(slots.isPaused).toBe(true)
    sent[0]?.end()
    expect(await outcomes[0]).toMatchObject({ kind: 'not-found' })
    clock.advance(3_600_000)
    await settled()
    expect(sent.map(({ url }) => url)).toEqual(URLS.slice(0, 1))
    expect(slots.counts()).toMatchObject({ queued: 2, inFlight: 0 })
    slots.unpause()
    await settled()
    sent[1]?.end()
    await settled()
    expect(sent.map(({ url }) => url)).toEqual(URLS)
  })

  it('holds a request whose slot was granted before, and sends it afterwards', async () => {
    const { slots, sent } = slotsWith()
    const hook = Promise.withResolvers<void>()
    const granted = async (slot: Slot) => {
      await hook.promise
      await slot.send({ url: 'http://a.test/' })
    }
    slots.add({ key: 'a.test', priority: 0, queuedAt: 0, granted, rejected: () => {} })
    await settled()
    slots.pause()
    hook.resolve()
    await settled()
    expect(sent).toEqual([])
    slots.unpause()
    slots.pause()
    await settled()
    expect(sent).toEqual([])
    slots.unpause()
    await settled()
    expect(sent).toHaveLength(1)
  })

  it('ends for waiting requests when they are cancelled', async () => {
    const { slots, sent } = slotsWith({ threads: 1 })
    const hook = Promise.withResolvers<void>()
    const outcome = new Promise<FetchOutcome>((resolve) => {
      const granted = async (slot: Slot) => {
        await hook.promise
        resolve(await slot.send({ url: 'http://a.test/' }))
      }
      slots.add({ key: 'a.test', priority: 0, queuedAt: 0, granted, rejected: () => {} })
    })
    const other = slots.fetchRobots({ url: 'http://b.test/robots.txt' })
    await settled()
    slots.pause()
    hook.resolve()
    await settled()
    slots.cancelWaiting('interrupted')
    expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted' })
    expect(await other).toMatchObject({ kind: 'blocked', detail: 'interrupted' })
    expect({ sent, active: slots.active, inFlight: slots.counts().inFlight }).toEqual({
      sent: [],
      active: 0,
      inFlight: 0,
    })
  })
})

it('requests a host earlier when an operator shortens its delay, and later when it is longer', async () => {
  const { slots, sent } = slotsWith({ delayMs: 60_000 })
  for (let i = 0; i < 3; i++) void slots.fetchRobots({ url: `http://a.test/${i}` })
  await settled()
  sent[0]?.end()
  await settled()
  clock.advance(2_000)
  slots.setOperatorDelay('a.test', 2_000)
  await settled()
  expect(sent).toHaveLength(2)
  sent[1]?.end()
  await settled()
  slots.setOperatorDelay('a.test', 5_000)
  clock.advance(4_999)
  await settled()
  expect(sent).toHaveLength(2)
  clock.advance(1)
  await settled()
  expect(sent).toHaveLength(3)
})

it('says with each request whether another one to its host waits', async () => {
  const { slots, sent } = slotsWith()
  for (const path of ['1', '2']) void slots.fetchRobots({ url: `http://a.test/${path}` })
  void slots.fetchRobots({ url: 'http://b.test/' })
  await settled()
  expect(sent.map(({ url, isFollowed }) => [url, isFollowed?.()])).toEqual([
    ['http://a.test/1', true],
    ['http://b.test/', false],
  ])
  sent[0]?.end()
  clock.advance(1_000)
  await settled()
  clock.advance(1_000)
  await settled()
  expect(sent[0]?.isFollowed?.()).toBe(false)
})
