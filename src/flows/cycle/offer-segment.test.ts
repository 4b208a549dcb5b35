import { beforeEach, describe, expect, it } from 'vitest'
import { LeapClock, quiet } from '../../../testing/leap-clock.ts'
import { MemoryFrontier } from '../../../testing/memory-frontier.ts'
import { MemorySegments } from '../../../testing/memory-segments.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { Fleet, FleetWorker } from '../../domain/frontier/fleet.ts'
import { InlineParser } from '../../domain/parse/parse-page.ts'
import { RobotsCache } from '../../domain/robots/robots-cache.ts'
import type { FetchListEntry, FetchRow } from '../../domain/segment/segment-rows.ts'
import type { FetchOptions } from './fetch-options.ts'
import { listedRequest } from './listed-request.ts'
import {
  type OfferOptions,
  type OfferParts,
  type OfferProgress,
  offeredSegment,
  offerSegment,
  offerStatus,
} from './offer-segment.ts'
import { workOnSegment } from './work-on-segment.ts'

const NO_YIELD = { requests: [], items: [], rejected: [] }

let clock: LeapClock
let segments: MemorySegments
let frontier: MemoryFrontier
let web: ScriptedFetcher
/** Hosts that another process has. */
let foreign: Set<string>
beforeEach(() => {
  clock = new LeapClock()
  segments = new MemorySegments()
  frontier = new MemoryFrontier(clock)
  foreign = new Set()
})

function serve(scripts: Readonly<Record<string, Script | string>>): void {
  web = new ScriptedFetcher(clock, scripts)
}

const fleet: Fleet = {
  holds: (host) => !foreign.has(host),
  claim: async (host) => (foreign.has(host) ? undefined : { host }),
  release: async () => {},
  workers: async () => [],
  counts: () => Promise.reject(new Error('not called')),
} as Pick<Fleet, 'holds' | 'claim' | 'release' | 'workers' | 'counts'> as Fleet

/** The share of a process that sees the segments as `own` does. */
function work(options: FetchOptions = {}, own = segments, name = 's') {
  const rules = testRules(clock)
  const parser = new InlineParser(rules)
  const robots = new RobotsCache(clock, 'testbot')
  return (over: AbortSignal) =>
    workOnSegment(own, name, { clock, fetcher: web, robots, rules, parser, fleet, frontier }, options, over)
}

function offer(
  parts: Partial<OfferParts> = {},
  options: OfferOptions = {},
  signal?: AbortSignal,
  name = 's',
) {
  return offerSegment(
    {
      ...{ clock, frontier, fleet, segments, deadLetters: frontier, rules: testRules(clock) },
      announce: async () => {},
      work: work(),
      ...parts,
    },
    name,
    options,
    signal,
  )
}

const requested = () => web.requests.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'))
const rows = () => segments.onDisk('s').map(({ fetch }) => fetch)
const rowOf = (url: string): FetchRow | undefined => rows().find((row) => row.url === url)
const urlsOf = (n: number, host = 'a.test') => Array.from({ length: n }, (_, i) => `http://${host}/${i}`)

async function nothingIsLeft(): Promise<void> {
  expect(await frontier.pending(clock.now())).toMatchObject({ ready: 0, delayed: 0, leased: 0 })
}

describe('a fetch list', () => {
  it('is fetched by a worker, with score, validators and metadata of each entry', async () => {
    const entry: FetchListEntry = {
      url: 'http://a.test/old',
      sortValue: 9,
      score: 0.5,
      validators: { etag: '"1"' },
      signature: 'ab',
      metadata: { seed: 'yes' },
    }
    serve({
      'http://a.test/old': { status: 301, to: 'http://b.test/gone' },
      'http://a.test/1': 'a page <a href="/2">2</a>',
    })
    segments.generate('s', [entry, ...urlsOf(40), ...urlsOf(40, 'b.test')])
    const progress: OfferProgress[] = []
    const result = await clock.run(
      offer({ work: work({ threads: 2 }) }, { onProgress: (one) => progress.push(one) }),
    )
    expect(result).toMatchObject({
      segment: 's',
      complete: true,
      statuses: { fetch_redir_perm: 1, fetch_success: 1, fetch_gone: 80 },
    })
    expect(await segments.info('s')).toMatchObject({ complete: true })
    expect(web.requests.find(({ url }) => url === entry.url)?.validators).toEqual({ etag: '"1"' })
    expect(segments.onDisk('s').find(({ fetch }) => fetch.url === entry.url)?.links).toMatchObject([
      { score: 0.5, metadata: { seed: 'yes' } },
    ])
    expect(new Set(requested()).size).toBe(requested().length)
    expect(web.judge.violations({ minGapMs: 1_000 })).toEqual([])
    expect(progress.at(0)?.left).toBe(81)
    expect(progress.at(-1)?.left).toBe(0)
    await nothingIsLeft()
    expect(clock.timers).toBe(0)
  })

  it('is shared by several workers, each of which writes its own rows', async () => {
    serve({})
    const urls = [...urlsOf(60), ...urlsOf(60, 'b.test'), ...urlsOf(60, 'c.test')]
    segments.generate('s', urls)
    const other = new AbortController()
    const others = work({ threads: 1 }, segments.elsewhere())(other.signal)
    const result = await clock.run(offer({ work: work({ threads: 1 }) }).finally(() => other.abort()))
    const { statuses } = await clock.run(others)
    expect(statuses.fetch_gone).toBeGreaterThan(0)
    expect(result.statuses).toEqual({ fetch_gone: urls.length })
    expect(rows()).toHaveLength(urls.length)
  })

  it('resumes after an interruption with the URLs that have no row', async () => {
    serve({})
    segments.generate('s', urlsOf(30))
    const interruption = new AbortController()
    clock.after(8_000, () => interruption.abort())
    const first = await clock.run(offer({}, {}, interruption.signal))
    expect(first.complete).toBe(false)
    const { fetch_gone: done = 0 } = first.statuses
    expect(done).toBeGreaterThan(5)
    expect(await frontier.pending(clock.now() + 5_000)).toMatchObject({ ready: 30 - done, leased: 0 })
    const second = await clock.run(offer())
    expect(second).toMatchObject({ complete: true, statuses: { fetch_gone: 30 - done } })
    expect(requested()).toHaveLength(30)
  })

  it('is done when every row is on disk, and not before', async () => {
    serve({})
    segments.generate('s', urlsOf(3))
    const killed = segments.elsewhere()
    const signal = new AbortController().signal
    void work({}, killed)(signal).catch(() => {})
    await frontier.add(urlsOf(3).map((url) => listedRequest('s', entryFor(url))))
    // Robots.txt and three pages, each with its rest, and no moment more: the last row has just been added.
    const until = clock.now() + 60_000
    while (requested().length < 3 && clock.now() < until) {
      await quiet()
      clock.leap()
    }
    killed.kill()
    await quiet()
    expect(rows()).toEqual([])
    expect(await frontier.pending(clock.now())).toMatchObject({ leased: 3 })
  })

  it('gets rows with the reason at once for a parked host', async () => {
    serve(Object.fromEntries(urlsOf(60).map((url) => [url, { status: 500 }])))
    segments.generate('s', urlsOf(60))
    const startedAt = clock.now()
    const result = await clock.run(offer({ work: work({ politeness: { maxFailures: 2, backoffMs: 10 } }) }))
    expect(result).toMatchObject({ complete: true, notReached: { 'too-many-failures': 58 } })
    expect(clock.now() - startedAt).toBeLessThan(60_000)
  })

  it('is stopped at the time limit', async () => {
    serve({})
    segments.generate('s', urlsOf(600))
    const result = await clock.run(offer({ work: work({ timeLimitMs: 20_000, threads: 1 }) }))
    expect(result.complete).toBe(true)
    expect(result.notReached['time limit']).toBeGreaterThan(500)
    expect(rows()).toHaveLength(600)
  })
})

describe('redirects', () => {
  const SITE: Readonly<Record<string, Script | string>> = {
    'http://a.test/0': { status: 302, to: 'http://b.test/1' },
    'http://b.test/1': { status: 302, to: 'http://c.test/2' },
    'http://c.test/2': { status: 302, to: 'http://d.test/3' },
    'http://d.test/3': 'the page',
  }

  it('are followed hop by hop, whichever worker has the hosts', async () => {
    serve(SITE)
    segments.generate('s', ['http://a.test/0'])
    const result = await clock.run(offer())
    expect(result.statuses).toEqual({ fetch_redir_temp: 3, fetch_success: 1 })
    expect(rowOf('http://d.test/3')).toMatchObject({ redirectedFrom: 'http://c.test/2' })
  })

  it('are followed up to redirectMax', async () => {
    serve(SITE)
    segments.generate('s', ['http://a.test/0'])
    await clock.run(offer({ work: work({ redirectMax: 2 }) }, { redirectMax: 2 }))
    expect(requested()).toEqual(['http://a.test/0', 'http://b.test/1', 'http://c.test/2'])
    expect(rowOf('http://c.test/2')?.reason).toContain('more than 2 redirects')
  })

  it('are not followed if the CrawlDb has fetched the target, or if it is listed', async () => {
    serve({ ...SITE, 'http://a.test/4': { status: 302, to: 'http://a.test/0' } })
    segments.generate('s', ['http://a.test/0', 'http://a.test/4'])
    const shouldFollow = async (url: string) => url !== 'http://c.test/2'
    const result = await clock.run(offer({ shouldFollow }))
    expect(requested().sort()).toEqual(['http://a.test/0', 'http://a.test/4', 'http://b.test/1'])
    expect(result.complete).toBe(true)
  })

  it('are followed in the next offer if the rest of the list is fetched', async () => {
    serve(SITE)
    segments.generate('s', ['http://a.test/0'])
    await clock.run(offer({ work: work({ redirectMax: 5 }) }, { redirectMax: 1 }))
    expect(requested()).toHaveLength(2)
    let announced = 0
    const announce = async () => void announced++
    await clock.run(offer({ announce }))
    expect(rowOf('http://d.test/3')?.status).toBe('fetch_success')
    expect(announced).toBe(2)
  })
})

describe('failures', () => {
  it('a lost lease: the URLs of the host are requeued', async () => {
    serve({})
    segments.generate('s', [...urlsOf(3), ...urlsOf(3, 'b.test')])
    foreign.add('b.test')
    clock.after(30_000, () => foreign.clear())
    const startedAt = clock.now()
    const result = await clock.run(offer())
    expect(result.statuses).toEqual({ fetch_gone: 6 })
    expect(clock.now() - startedAt).toBeGreaterThan(30_000)
    expect(requested()).toHaveLength(6)
  })

  it('a response after the lease was lost: it is not recorded', async () => {
    serve({ 'http://a.test/0': { latencyMs: 5_000, body: 'late' } })
    segments.generate('s', ['http://a.test/0'])
    clock.after(3_000, () => foreign.add('a.test'))
    clock.after(20_000, () => foreign.clear())
    const result = await clock.run(offer())
    expect(result.statuses).toEqual({ fetch_success: 1 })
    expect(rows()).toHaveLength(1)
    expect(requested()).toHaveLength(2)
  })

  it('URLs of a segment that is no longer offered: they are dropped, and queued again with the next offer', async () => {
    serve({})
    segments.generate('s', urlsOf(3))
    segments.generate('t', urlsOf(3, 'b.test'))
    await frontier.add(urlsOf(3).map((url) => listedRequest('s', entryFor(url))))
    const other = await clock.run(offer({ work: work({}, segments, 't') }, {}, undefined, 't'))
    expect(other).toMatchObject({ complete: true, statuses: { fetch_gone: 3 } })
    expect(requested()).toHaveLength(3)
    const result = await clock.run(offer())
    expect(result).toMatchObject({ complete: true, statuses: { fetch_gone: 3 } })
  })

  it('lost rows of an earlier offer: their URLs are fetched again', async () => {
    serve({})
    segments.generate('s', urlsOf(3))
    await clock.run(offer())
    segments.generate('s', urlsOf(5))
    const result = await clock.run(offer({}, { rowsAfterMs: 5_000 }))
    expect(result).toMatchObject({ complete: true, statuses: { fetch_gone: 5 } })
  })

  it('missing rows: they are reported', async () => {
    serve({})
    segments.generate('s', urlsOf(3))
    const elsewhere = new MemorySegments()
    elsewhere.generate('s', [])
    await expect(clock.run(offer({ work: work({}, elsewhere) }))).rejects.toMatchObject({
      code: 'ROWS_MISSING',
    })
    expect(requested()).toHaveLength(6)
  })

  it('a dead letter: the URL gets a row with the reason', async () => {
    serve({})
    segments.generate('s', urlsOf(3))
    await frontier.add([listedRequest('s', entryFor('http://a.test/1'))])
    const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: clock.now() })
    const end = { kind: 'failed', code: 'poison', reason: 'lost 10 times' } as const
    await frontier.settle([{ id: lease?.requests[0]?.id ?? '', end, ...NO_YIELD }])
    const result = await clock.run(offer())
    expect(result).toMatchObject({ complete: true, statuses: { fetch_gone: 2, not_reached: 1 } })
    expect(rowOf('http://a.test/1')?.reason).toContain('lost')
  })

  it('a full disk: the offer is withdrawn, and URLs without a row stay queued', async () => {
    serve({})
    segments.generate('s', urlsOf(3))
    const failing = {
      append: async (name: string) => ({
        ...(await segments.append(name)),
        add: () => Promise.reject(new Error('no space left')),
        room: async () => {},
        flush: async () => {},
        close: async () => {},
      }),
    }
    const failed = offer({ work: work({}, failing as unknown as MemorySegments) })
    await expect(clock.run(failed)).rejects.toThrow('no space left')
    expect(await frontier.pending(clock.now() + 5_000)).toMatchObject({ ready: 3, leased: 0 })
  })
})

function entryFor(url: string): FetchListEntry {
  return { url, sortValue: 1, score: 1, metadata: {} }
}

const worker = (fence: number, status: FleetWorker['status'], expiresAt = 100): FleetWorker => ({
  ...{ fence, name: 'w', joinedAt: 0, heardAt: 0, expiresAt, leased: 0, hosts: 0 },
  ...withoutUndefined({ status }),
})

it('returns the newest offer of the live workers', () => {
  const workers = [
    worker(1, offerStatus('20270101000000')),
    worker(4, { offers: 7 }),
    worker(6, offerStatus('../../elsewhere')),
    worker(3, offerStatus('20270103000000'), 50),
    worker(2, { ...offerStatus('20270102000000'), pages: 3 }),
    worker(5, undefined),
  ]
  expect(offeredSegment(workers, 49)).toBe('20270103000000')
  expect(offeredSegment(workers, 50)).toBe('20270102000000')
  expect(offeredSegment(workers, 100)).toBeUndefined()
  expect(offeredSegment([], 0)).toBeUndefined()
})
