import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { HostStateFile } from '../adapters/crawl-directory/host-state-file.ts'
import { logEvent } from '../base/event-codes.ts'
import type { EventLog } from '../base/event-log.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HostState } from '../domain/politeness/host-throttle.ts'
import { type HostStateSource, persistHostStates } from '../domain/politeness/persist-host-states.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { type OfferProgress, offerSegment, offerStatus } from '../flows/cycle/offer-segment.ts'
import { workOnSegment } from '../flows/cycle/work-on-segment.ts'
import { controlFleet } from './control-fleet.ts'
import type { CrawlSession } from './crawl-session.ts'
import { type FetchRunOptions, fetchOptions, followedBy, withWeb } from './fetch-session.ts'
import { shareFleetNotes } from './fleet-notes.ts'
import { checkFleetOptions, type FleetSession, fetchStatus, fleetCrawl, withFleet } from './fleet-session.ts'
import { withLiveCycle } from './live-cycle.ts'
import { redisArgument } from './redis-access.ts'
import { allWatchers } from './settings-watchers.ts'

/** Options of a fetch step that several machines share through Redis. */
export interface FleetFetchOptions extends Omit<FetchRunOptions, 'onProgress'> {
  /** The address of a Redis, such as `redis://host:6379/0`; `true`: the one of the settings. */
  readonly redis: string | true
  /** Whether this process fetches, too. @default true */
  readonly work?: boolean
  /** Whether pages are parsed as they arrive. @default true */
  readonly parse?: boolean
  /** Called every second with the figures of all workers. */
  readonly onProgress?: (progress: OfferProgress) => void
}

/** Offers a segment to the workers of a fleet, and fetches along with them. */
export async function fetchWithFleet(
  session: CrawlSession,
  name: string,
  options: FleetFetchOptions,
  log: EventLog,
): Promise<FetchResult> {
  const { onProgress, redis, work = true, ...run } = options
  checkFleetOptions(run)
  const { settings, seeds, path, store } = session
  const crawl = fleetCrawl(await shareFleetNotes(path, store, { seeds, hosts: [] }))
  let own: FetchProgress | undefined
  const status = () => ({ ...offerStatus(name), ...fetchStatus(own) })
  return withFleet({ redis, crawl, settings, status }, log, (fleet) => {
    logEvent(
      log,
      'SEGMENT_OFFERED',
      `offered as ${crawl}; workers: orbweaver worker --dir ${path}${store === undefined ? '' : ` --segments ${store.url}`}${redisArgument(redis)}`,
      { data: { crawl, segment: name } },
    )
    return withHostStates(session, fleet, async (hosts) => {
      await shareFleetNotes(path, store, { seeds, hosts })
      const fetching = fetchOptions(session, {
        ...run,
        onProgress: (progress) => {
          own = progress
        },
      })
      const { frontier, clock } = fleet
      const watchers = await allWatchers(run.watchers, settings, log)
      return withLiveCycle(session, 'fetch', { ...run, clock, watchers }, async (live) => {
        const { generated, fetched } = await session.segments.info(name)
        live.history.begun(1, name, Math.max(0, generated - fetched))
        controlFleet(live.run, frontier, frontier.control)
        return withWeb(session, run, log, fleet, (web) => {
          const parts = { ...web, ...fleet, fleet: frontier, hosts, watch: live.run }
          const ownWork = (over: AbortSignal) => workOnSegment(session.segments, name, parts, fetching, over)
          const { signal } = live.run
          return offer(session, name, fleet, { ...options, signal }, work ? ownWork : undefined)
        })
      })
    })
  })
}

function offer(
  { segments, rules, settings, db }: CrawlSession,
  name: string,
  { frontier, clock }: FleetSession,
  { onProgress, signal = new AbortController().signal }: FleetFetchOptions,
  work: ((over: AbortSignal) => Promise<unknown>) | undefined,
): Promise<FetchResult> {
  const parts = {
    ...{ clock, frontier, segments, rules, fleet: frontier, deadLetters: frontier.deadLetters },
    shouldFollow: followedBy(db),
    announce: () => frontier.renew(),
    ...withoutUndefined({ work }),
  }
  const { redirectMax } = settings.limits
  return offerSegment(parts, name, { redirectMax, ...withoutUndefined({ onProgress }) }, signal)
}

/**
 * Calls `work` with the throttle states that the last single process saved. Afterwards only the fleet knows the current states, so the file is
 * marked as after a crash: the next single process starts with a delay for every host.
 */
async function withHostStates<T>(
  { path, settings }: CrawlSession,
  { clock }: FleetSession,
  work: (hosts: readonly HostState[]) => Promise<T>,
): Promise<T> {
  const file = new HostStateFile(path)
  let hosts: HostState[] = []
  const known: HostStateSource = {
    hostStates: () =>
      hosts.filter(({ readyAt, parked }) => Math.max(readyAt, parked?.until ?? 0) > clock.now()),
    delayChanges: 0,
    restoreHosts: (states) => {
      hosts = [...states]
    },
  }
  const delayMs = hostDelayMs(settings.politeness)
  try {
    return await persistHostStates(known, file, clock, delayMs, () => work(hosts))
  } finally {
    await file.save({ states: known.hostStates(), savedAt: clock.now(), ended: false })
  }
}
