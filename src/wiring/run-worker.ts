import { statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { buildRules } from '../adapters/config/build-rules.ts'
import type { FleetNotes } from '../adapters/crawl-directory/fleet-file.ts'
import { workerName } from '../adapters/crawl-directory/segment-files.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { type Clock, nextSecond, steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { Fleet } from '../domain/frontier/fleet.ts'
import type { ObjectStore } from '../domain/object-store/object-store.ts'
import { SegmentMissing } from '../domain/segment/segment-store.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { offeredSegment } from '../flows/cycle/offer-segment.ts'
import { workOnSegment } from '../flows/cycle/work-on-segment.ts'
import { controlFleet } from './control-fleet.ts'
import { type CrawlSegments, openCrawlSegments } from './crawl-segments.ts'
import { type SessionOptions, sessionSettings } from './crawl-session.ts'
import { type FetchRunOptions, fetchOptions, withWeb } from './fetch-session.ts'
import { findFleetNotes } from './fleet-notes.ts'
import { checkFleetOptions, type FleetSession, fetchStatus, fleetCrawl, withFleet } from './fleet-session.ts'
import { withLiveRun } from './live-run.ts'
import { type EventReceivers, openRunLog } from './run-log.ts'
import { allWatchers } from './settings-watchers.ts'

export interface WorkerOptions
  extends FetchRunOptions,
    Pick<SessionOptions, 'settings' | 'configFile'>,
    EventReceivers {
  /** The address of a Redis; `true`: the one of the settings. @default true */
  readonly redis?: string | true
  /** Stop after the first fetch list. @default false */
  readonly once?: boolean
  /** Whether pages are parsed as they arrive. @default true */
  readonly parse?: boolean
  readonly signal: AbortSignal
  /** Called after each fetch list, for the last line of its progress. */
  readonly onSegmentEnd?: () => void
}

/** Fetches for the crawl directory `dir` of a fleet, list by list. Returns the result of each fetch list. */
export async function runWorker(dir: string, options: WorkerOptions): Promise<FetchResult[]> {
  checkFleetOptions(options)
  const { source, settings } = await sessionSettings({ dir, ...options })
  if (settings.segments !== undefined) await mkdir(dir, { recursive: true })
  else if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `there is no directory ${dir}; give the path of the crawl directory on this machine`,
    )
  const log = openRunLog(settings.log, options)
  let place: CrawlSegments | undefined
  try {
    place = await openCrawlSegments(dir, settings, 'work', { log })
    const session = { source, settings, log, ...place }
    const work = () => workFor(dir, options, session)
    // Parts that an earlier worker wrote here and could not put any more.
    await place.folder.recover()
    return await work().catch((error: unknown) => {
      const isMismatch = error instanceof ConfigurationError && error.code === 'CRAWL_MISMATCH'
      if (!isMismatch || settings.redis.shards !== undefined) throw error
      // The crawl was created after this worker had looked for its number of shards.
      return work()
    })
  } finally {
    await place?.close()
    log.close()
  }
}

interface WorkerSession extends Awaited<ReturnType<typeof sessionSettings>>, CrawlSegments {
  readonly log: EventLog
}

async function workFor(
  dir: string,
  options: WorkerOptions,
  { source, settings, log, folder, store }: WorkerSession,
): Promise<FetchResult[]> {
  const { redis = true, signal } = options
  const notes = await firstNotes(dir, store, signal, log)
  if (notes === undefined) return []
  let progress: FetchProgress | undefined
  const onProgress = (latest: FetchProgress) => {
    progress = latest
    options.onProgress?.(latest)
  }
  const request = { redis, crawl: fleetCrawl(notes), settings, status: () => fetchStatus(progress) }
  return withFleet(request, log, async (fleet) => {
    const memory = withoutUndefined({ memoryMb: settings.memoryMb })
    const segments = await ParquetSegments.open(dir, { ...memory, folder, writer: workerName() })
    const { frontier, clock } = fleet
    const run = { kind: 'cycle', name: dir, command: 'worker', signal, clock } as const
    try {
      const watchers = await allWatchers(options.watchers, settings, log)
      return await withLiveRun({ ...run, watchers }, (live) => {
        const idle = { rounds: [], activity: 'waiting for a fetch list' }
        live.describe(() => idle)
        controlFleet(live, frontier, frontier.control)
        return workOnOffers(fleet, { ...options, signal: live.signal }, log, async (segment, over) => {
          live.describe(() => ({ rounds: [], activity: `fetching segment ${segment}` }))
          const { seeds, hosts } = (await findFleetNotes(dir, store)) ?? notes
          const rules = buildRules(settings, { clock: fleet.clock, seeds })
          const session = { path: dir, settings, source, seeds, rules }
          const fetching = fetchOptions(session, { ...options, onProgress })
          return withWeb(session, options, log, fleet, (web) =>
            workOnSegment(
              segments,
              segment,
              { ...web, ...fleet, fleet: frontier, hosts, watch: live },
              fetching,
              over,
            ),
          ).finally(() => {
            live.describe(() => idle)
            options.onSegmentEnd?.()
          })
        })
      })
    } finally {
      segments.close()
    }
  })
}

/** Waits for offers and works on each until it ends; returns on `signal`, when the fleet is drained, or with `once` after the first. */
async function workOnOffers(
  { frontier, clock }: FleetSession,
  { once = false, signal }: WorkerOptions,
  log: EventLog,
  work: (segment: string, over: AbortSignal) => Promise<FetchResult>,
): Promise<FetchResult[]> {
  const results: FetchResult[] = []
  const notifyWaiting = firstCallOnly(() => logWaiting(log))
  const notifyMissing = firstCallOnly(({ message }: Error) =>
    logEvent(log, 'SEGMENT_NOT_VISIBLE', `${message}; waiting for it`),
  )
  while (!signal.aborted && !(once && results.length > 0)) {
    // An idle worker learns the state of the fleet from this call.
    await frontier.counts()
    if (frontier.state === 'draining') break
    const segment = offeredSegment(await frontier.workers(), clock.now())
    if (segment === undefined) notifyWaiting()
    else {
      const offer = watchOffer(frontier, clock, segment)
      try {
        const result = await work(segment, AbortSignal.any([offer.over, signal]))
        // No row: other workers had all hosts of the list.
        if (Object.keys(result.statuses).length > 0) results.push(result)
        else if (once) break
      } catch (error) {
        // A network file system may show the segment later.
        if (!(error instanceof SegmentMissing)) throw error
        notifyMissing(error)
      } finally {
        offer.close()
      }
    }
    await nextSecond(clock, signal)
  }
  return results
}

/** Checks every second whether a segment is still offered and the fleet is not draining. */
function watchOffer(fleet: Pick<Fleet, 'workers' | 'state'>, clock: Clock, segment: string) {
  const over = new AbortController()
  let cancel = clock.after(1_000, async function check() {
    // If Redis is unreachable, the fetch itself fails.
    const workers = await fleet.workers().catch(() => undefined)
    if (workers !== undefined && offeredSegment(workers, clock.now()) !== segment) over.abort()
    if (fleet.state === 'draining') over.abort()
    if (!over.signal.aborted) cancel = clock.after(1_000, check)
  })
  return {
    over: over.signal,
    close() {
      over.abort()
      cancel()
    },
  }
}

/** Waits until the directory has been offered once. `undefined`: `signal` was aborted before. */
async function firstNotes(
  dir: string,
  store: ObjectStore | undefined,
  signal: AbortSignal,
  log: EventLog,
): Promise<FleetNotes | undefined> {
  const notify = firstCallOnly(() => logWaiting(log))
  while (!signal.aborted) {
    const notes = await findFleetNotes(dir, store)
    if (notes !== undefined) return notes
    notify()
    await nextSecond(steadyClock, signal)
  }
  return undefined
}

/** Without the directory of the worker: with segments in an object store, the fetch list is of another one. */
function logWaiting(log: EventLog): void {
  logEvent(
    log,
    'WAITING_FOR_FETCH_LIST',
    'waiting for a fetch list: orbweaver fetch <dir> --redis offers one',
  )
}

function firstCallOnly<Args extends unknown[]>(call: (...args: Args) => void): (...args: Args) => void {
  let isCalled = false
  return (...args) => {
    if (!isCalled) call(...args)
    isCalled = true
  }
}
