import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
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
function slotsWith({ threads = 10, delayMs = 1_000 } = {}) {
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
    politeness: { delayMs },
  })
  return { slots, sent }
}

/** Waits until everything that waits for no timer is done. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('gives the request after an aborted one a new signal', async () => {
  const { slots, sent } = slotsWith({ delayMs: 0 })
  for (const host of ['a', 'b']) void slots.fetch({ url: `http://${host}.test/` })
  await settled()
  sent[1]?.end()
  await settled()
  slots.abort()
  await settled()
  for (const host of ['c', 'd']) void slots.fetch({ url: `http://${host}.test/` })
  await settled()
  expect(sent.map(({ signal }) => signal?.aborted)).toEqual([true, false, false, false])
  expect(sent[2]?.signal).not.toBe(sent[3]?.signal)
})

it('requests a host at the end of its delay, with one timer per request', async () => {
  const { slots, sent } = slotsWith()
  const hosts = ['a', 'b', 'c', 'd', 'e']
  for (const host of [...hosts, ...hosts]) void slots.fetch({ url: `http://${host}.test/` })
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
  for (const host of ['a', 'a', 'b']) void slots.fetch({ url: `http://${host}.test/` })
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

describe('a request that may be repeated', () => {
  const RESET = { kind: 'network-failure', cause: 'reset', detail: 'closed', repeatable: true } as const
  const url = 'http://a.test/'

  it('is repeated once, in the next slot of its host, before other requests; another host gets the thread meanwhile', async () => {
    const { slots, sent } = slotsWith({ threads: 1 })
    const outcome = slots.fetch({ url })
    for (const key of ['a.test', 'b.test'])
      slots.add({
        key,
        priority: 0,
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
    void slots.fetch({ url })
    await settled()
    sent[0]?.end(RESET)
    await settled()
    expect(slots.stateOf('a.test')?.failures ?? 0).toBe(0)
  })

  it('is aborted if the crawl stops first', async () => {
    const { slots, sent } = slotsWith()
    const outcome = slots.fetch({ url })
    await settled()
    sent[0]?.end(RESET)
    await settled()
    slots.cancelWaiting('interrupted')
    expect(await outcome).toMatchObject({ kind: 'network-failure', cause: 'aborted', detail: 'interrupted' })
    await settled()
    expect(slots.active).toBe(0)
  })
})
