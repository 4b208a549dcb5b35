import { setImmediate as nextEventLoopTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { runClock } from '../../../testing/run-clock.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import type { ObservedRequest, RequestObserver } from '../fetch/request-observer.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import { hostOf } from '../url/host-of.ts'
import type { HostOwnership } from './host-ownership.ts'
import { PoliteFetcher, type PoliteFetcherOptions } from './polite-fetcher.ts'
import { outcomeOf, type PoliteResult, type PoliteTask } from './polite-result.ts'

const PAGE = 'http://a.test/1'
const ROBOTS = 'http://a.test/robots.txt'

/** Rules that leave the cache as soon as they are loaded. */
class ForgetfulRobots extends RobotsCache {
  loads = 0

  override known(): undefined {
    return undefined
  }

  override load(...parameters: Parameters<RobotsCache['load']>) {
    this.loads++
    return super.load(...parameters)
  }
}

interface LabOptions extends Partial<PoliteFetcherOptions> {
  readonly owns?: () => boolean
  readonly Robots?: typeof RobotsCache
  readonly observer?: RequestObserver
}

/** A fetcher of scripted sites. Results of `fetch` release their slot at once. */
function lab(sites: Readonly<Record<string, Script | string>>, options: LabOptions = {}) {
  const { owns, Robots = RobotsCache, observer, ...others } = options
  const clock = new FakeClock()
  const web = new ScriptedFetcher(clock, sites)
  const robots = new Robots(clock, 'testbot')
  const ownership: HostOwnership | undefined = owns && {
    holds: owns,
    claim: async () => undefined,
    release: async () => {},
  }
  const polite = new PoliteFetcher(
    { clock, fetcher: web, robots, ...(ownership && { ownership }), ...(observer && { observer }) },
    { threads: 2, keyOf: hostOf, politeness: { delayMs: 1_000, maxFailures: 3 }, ...others },
  )
  const start = async (url: string, task: Omit<PoliteTask, 'request'> = {}): Promise<PoliteResult> => {
    const result = await polite.fetch({ request: { url }, ...task })
    if (result.kind === 'fetched') result.release()
    return result
  }
  return {
    clock,
    web,
    robots,
    polite,
    start,
    fetch: (url: string, task?: Omit<PoliteTask, 'request'>) => runClock(clock, start(url, task)),
    run: <T>(work: Promise<T>) => runClock(clock, work),
    requested: () => web.requests.map(({ url }) => url),
    advance: async (ms: number) => {
      for (let i = 0; i < 5; i++) await nextEventLoopTurn()
      clock.advance(ms)
      for (let i = 0; i < 5; i++) await nextEventLoopTurn()
    },
  }
}

describe('the result of a task', () => {
  it('is the outcome, after robots.txt and the delay of the host', async () => {
    const { fetch, web } = lab({ [PAGE]: 'page' })
    expect(await fetch(PAGE)).toMatchObject({ kind: 'fetched', outcome: { kind: 'success', url: PAGE } })
    const [robots, page] = web.judge.hits
    expect(robots?.path).toBe('/robots.txt')
    expect((page?.start ?? 0) - (robots?.end ?? 0)).toBeGreaterThanOrEqual(1_000)
  })

  it('is disallowed, with the reason, if robots.txt says so', async () => {
    const { fetch, requested } = lab({ [ROBOTS]: 'User-agent: *\nDisallow: /' })
    expect(await fetch(PAGE)).toEqual({ kind: 'disallowed', reason: expect.stringContaining('Disallow: /') })
    expect(requested()).toEqual([ROBOTS])
  })

  it('is crawl-delay-too-long if the host requests a longer delay than allowed', async () => {
    const { fetch, requested } = lab({ [ROBOTS]: 'User-agent: *\nCrawl-delay: 3600' })
    expect(await fetch(PAGE)).toMatchObject({ kind: 'crawl-delay-too-long' })
    expect(requested()).toEqual([ROBOTS])
  })

  it('is robots-unreachable, with the time of the next attempt, after a server error', async () => {
    const { fetch, clock } = lab({ [ROBOTS]: { status: 503 } })
    const result = await fetch(PAGE)
    expect(result).toMatchObject({ kind: 'robots-unreachable', retryAt: expect.any(Number) })
    expect(result.kind === 'robots-unreachable' && result.retryAt).toBeGreaterThan(clock.now())
  })

  it('is host-failed if there is no connection for robots.txt', async () => {
    const { fetch } = lab({ [ROBOTS]: { status: 'connect-failed' } })
    expect(await fetch(PAGE)).toMatchObject({
      kind: 'host-failed',
      outcome: { url: PAGE, cause: 'connect-failed' },
    })
  })

  it('is rejected, with the time, if the host is parked', async () => {
    const { run, start, requested } = lab({ [PAGE]: { status: 500 } }, { politeness: { maxFailures: 1 } })
    const results = await run(Promise.all([start(PAGE), start('http://a.test/2')]))
    expect(results).toMatchObject([
      { kind: 'fetched' },
      { kind: 'rejected', reason: 'too-many-failures', retryAt: expect.any(Number) },
    ])
    expect(requested()).toEqual([ROBOTS, PAGE])
  })

  it('is unsendable if the fetcher does not accept the request, and the slot is free again', async () => {
    const { fetch, web, polite } = lab({})
    const send = web.fetch.bind(web)
    web.fetch = (request) => (request.url === PAGE ? Promise.reject(new Error('bad header')) : send(request))
    expect(await fetch(PAGE)).toMatchObject({ kind: 'unsendable', error: { message: 'bad header' } })
    expect(await fetch('http://a.test/2')).toMatchObject({ kind: 'fetched' })
    expect(polite.active).toBe(0)
  })
})

describe('prepare', () => {
  it('is called with the slot granted and gives the request that is sent', async () => {
    const { fetch, requested, web } = lab({})
    const seen: string[][] = []
    await fetch(PAGE, {
      prepare: async () => {
        seen.push(requested())
        return { url: PAGE, headers: { 'x-hook': '1' } }
      },
    })
    expect(seen).toEqual([[ROBOTS]])
    expect(web.requests[1]).toMatchObject({ headers: { 'x-hook': '1' } })
  })

  it('drops the task with no request, and the host owes no delay', async () => {
    const { run, start, web } = lab({})
    const results = await run(
      Promise.all([
        start(PAGE, { priority: 1, prepare: async () => undefined }),
        start('http://a.test/2', { priority: 0 }),
      ]),
    )
    expect(results.map(({ kind }) => kind)).toEqual(['dropped', 'fetched'])
    const [robots, page] = web.judge.hits
    expect((page?.start ?? 0) - (robots?.end ?? 0)).toBeLessThan(1_050)
  })

  it('does not send if the crawl stops meanwhile', async () => {
    const { fetch, polite, requested } = lab({})
    const prepare = async () => {
      polite.stop()
      return { url: PAGE }
    }
    expect(await fetch(PAGE, { prepare })).toEqual({ kind: 'interrupted' })
    expect(requested()).toEqual([ROBOTS])
  })
})

describe('a transient failure', () => {
  it('is retried as often as the task says, after the other tasks of the host', async () => {
    const { run, start, requested } = lab({ [PAGE]: { status: 500 } })
    const results = await run(
      Promise.all([start(PAGE, { priority: 2, retries: 1 }), start('http://a.test/2', { priority: 1 })]),
    )
    expect(requested()).toEqual([ROBOTS, PAGE, 'http://a.test/2', PAGE])
    expect(results[0]).toMatchObject({ kind: 'fetched', outcome: { kind: 'server-error' } })
  })

  it('is retried, too, if it was the host that could not be reached for robots.txt', async () => {
    const { fetch, requested } = lab({ [ROBOTS]: { status: 'connect-failed' } })
    expect(await fetch(PAGE, { retries: 1 })).toMatchObject({ kind: 'host-failed' })
    expect(requested()).toEqual([ROBOTS, ROBOTS])
  })

  it('is part of the rejection if its retry is not reached', async () => {
    const { start, run, polite, advance } = lab({ [PAGE]: { status: 500 } })
    const result = start(PAGE, { retries: 1 })
    for (let i = 0; i < 12; i++) await advance(100)
    polite.finish('time limit')
    expect(await run(result)).toMatchObject({
      kind: 'rejected',
      reason: 'time limit',
      failed: { kind: 'server-error' },
    })
  })
})

describe('robots.txt that the cache forgets before the slot is granted', () => {
  it('is loaded again, at most three times, and then its last decision holds', async () => {
    const { fetch, robots } = lab({ [PAGE]: 'page' }, { Robots: ForgetfulRobots })
    expect(await fetch(PAGE)).toMatchObject({ kind: 'fetched' })
    expect((robots as ForgetfulRobots).loads).toBe(3)
  })

  it('is loaded again when its request was aborted, and counts as unreachable after three times', async () => {
    const { start, run, polite, advance, requested } = lab({ [ROBOTS]: { status: 'hang' } })
    const result = start(PAGE)
    for (let i = 0; i < 40; i++) {
      await advance(100)
      polite.abort()
    }
    expect(await run(result)).toMatchObject({ kind: 'robots-unreachable' })
    expect(requested()).toEqual([ROBOTS, ROBOTS, ROBOTS])
  })
})

describe('stop', () => {
  it('interrupts the tasks that wait and all later ones, until resume', async () => {
    const { start, fetch, polite, advance, requested } = lab({})
    const waiting = [start(PAGE), start('http://a.test/2')]
    await advance(100)
    polite.stop()
    expect(await Promise.all([...waiting, start(PAGE)])).toEqual(Array(3).fill({ kind: 'interrupted' }))
    expect(requested()).toEqual([ROBOTS])
    polite.resume()
    expect(await fetch(PAGE)).toMatchObject({ kind: 'fetched' })
  })

  it('lets requests in flight finish, and abort interrupts them', async () => {
    const { start, polite, advance, run } = lab({
      [PAGE]: { latencyMs: 500 },
      'http://b.test/': { status: 'hang' },
    })
    const slow = start(PAGE)
    const hanging = start('http://b.test/')
    for (let i = 0; i < 12; i++) await advance(100)
    polite.stop()
    expect(await run(slow)).toMatchObject({ kind: 'fetched' })
    polite.abort()
    expect(await run(hanging)).toEqual({ kind: 'interrupted' })
  })

  it('interrupts while robots.txt is loaded', async () => {
    const { start, run, polite, advance } = lab({ [ROBOTS]: { status: 'hang' } })
    const result = start(PAGE)
    await advance(100)
    polite.stop()
    polite.abort()
    expect(await run(result)).toEqual({ kind: 'interrupted' })
  })

  it('keeps a decision of robots.txt that arrives after it', async () => {
    const { start, run, polite, advance } = lab({
      [ROBOTS]: { body: 'User-agent: *\nDisallow: /', latencyMs: 500 },
    })
    const result = start(PAGE)
    await advance(100)
    polite.stop()
    expect(await run(result)).toMatchObject({ kind: 'disallowed' })
  })
})

it('rejects waiting and later tasks with the reason of finish, and finishes requests in flight', async () => {
  const { start, run, polite, advance } = lab({ [PAGE]: { latencyMs: 500 } })
  const inFlight = start(PAGE, { priority: 1 })
  const waiting = start('http://a.test/2')
  for (let i = 0; i < 12; i++) await advance(100)
  polite.finish('time limit')
  const rejected = { kind: 'rejected', reason: 'time limit' }
  expect(await Promise.all([waiting, start('http://b.test/')])).toEqual([rejected, rejected])
  expect(await run(inFlight)).toMatchObject({ kind: 'fetched' })
})

it('interrupts a cancelled task when its slot is granted', async () => {
  let cancelled = false
  const { start, run, requested } = lab({ [ROBOTS]: { latencyMs: 500 } })
  const result = start(PAGE, { isCancelled: () => cancelled })
  cancelled = true
  expect(await run(result)).toEqual({ kind: 'interrupted' })
  expect(requested()).not.toContain(PAGE)
})

describe('a host of another worker', () => {
  it('is not requested', async () => {
    const { fetch, requested } = lab({}, { owns: () => false })
    expect(await fetch(PAGE)).toEqual({ kind: 'not-owned' })
    expect(requested()).toEqual([])
  })

  it('makes the result not-owned if it was lost during the request', async () => {
    let owned = true
    const { start, run, advance } = lab({ [PAGE]: { latencyMs: 500 } }, { owns: () => owned })
    const result = start(PAGE)
    for (let i = 0; i < 12; i++) await advance(100)
    owned = false
    expect(await run(result)).toEqual({ kind: 'not-owned' })
  })

  it('makes the result not-owned if it was lost while robots.txt was loaded', async () => {
    let owned = true
    const { start, run, advance } = lab(
      { [ROBOTS]: { body: 'User-agent: *\nDisallow: /', latencyMs: 500 } },
      { owns: () => owned },
    )
    const result = start(PAGE)
    await advance(100)
    owned = false
    expect(await run(result)).toEqual({ kind: 'not-owned' })
  })

  it('aborts the request within a second, and the task can be queued again', async () => {
    let owned = true
    const { start, run, polite, advance } = lab({ [PAGE]: { status: 'hang' } }, { owns: () => owned })
    const result = start(PAGE)
    for (let i = 0; i < 12; i++) await advance(100)
    owned = false
    polite.abortHung()
    owned = true
    expect(await run(result)).toEqual({ kind: 'interrupted' })
  })
})

it('keeps a slot active until the result is released', async () => {
  const { polite, run, requested, advance } = lab({}, { threads: 1 })
  const result = await run(polite.fetch({ request: { url: PAGE } }))
  void polite.fetch({ request: { url: 'http://b.test/' } })
  await advance(5_000)
  expect(polite.active).toBe(1)
  expect(requested()).toEqual([ROBOTS, PAGE])
  if (result.kind === 'fetched') result.release()
  await advance(1)
  expect(requested()).toEqual([ROBOTS, PAGE, 'http://b.test/robots.txt'])
})

it.each<[PoliteResult, object | undefined]>([
  [
    { kind: 'rejected', reason: 'parked', retryAt: 5 },
    { kind: 'blocked', detail: 'parked', retryAt: 5 },
  ],
  [
    { kind: 'crawl-delay-too-long', reason: '1 h' },
    { kind: 'blocked', detail: '1 h' },
  ],
  [{ kind: 'interrupted' }, { kind: 'network-failure', cause: 'aborted' }],
  [{ kind: 'disallowed', reason: '' }, undefined],
])('has an outcome for callers that need no more: %j', (result, outcome) => {
  const actual = outcomeOf(result, PAGE, 0)
  if (outcome === undefined) expect(actual).toBeUndefined()
  else expect(actual).toMatchObject(outcome)
})

it('keeps the Crawl-delay after robots.txt if the first URL is disallowed', async () => {
  const { run, start, web } = lab({
    [ROBOTS]: 'User-agent: *\nCrawl-delay: 3\nDisallow: /no',
    [PAGE]: 'page',
  })
  await run(Promise.all([start('http://a.test/no'), start(PAGE)]))
  expect(web.judge.violations({ minGapMs: 3_000 })).toEqual([])
})

it('tells an observer the limits, the robots.txt and the delay of each request, and the disallowed URLs', async () => {
  const requests: ObservedRequest[] = []
  const disallowed: unknown[] = []
  const observer: RequestObserver = {
    sent: () => {},
    ended: (request) => void requests.push({ ...request }),
    disallowed: (url, key, robots) => disallowed.push([url, key, robots?.finding?.octets]),
  }
  const text = 'User-agent: *\nCrawl-delay: 3\nDisallow: /no'
  const { fetch } = lab({ [ROBOTS]: text, [PAGE]: { status: 500 } }, { observer })
  await fetch('http://a.test/no')
  await fetch(PAGE)
  expect(disallowed).toEqual([['http://a.test/no', 'a.test', text]])
  const limits = { startGapMs: 0, endGapMs: 1_000, maxInFlight: 1 }
  const [robots, page] = requests
  expect(robots).toMatchObject({ purpose: 'robots', delayMs: 1_000, limits, robots: undefined })
  // The back-off after a failure is longer than the Crawl-delay.
  expect(page).toMatchObject({ purpose: 'page', delayMs: 5_000, limits })
  expect(page?.robots?.finding?.octets).toBe(text)
  expect((page?.endedAt ?? 0) - (page?.startedAt ?? 0)).toBe(20)
  expect((page?.startedAt ?? 0) - (robots?.endedAt ?? 0)).toBe(3_000)
})
