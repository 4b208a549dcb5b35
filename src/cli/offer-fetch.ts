import { hostDelayMs } from '../adapters/config/host-queues-options.ts'
import { writeFleetNotes } from '../adapters/crawl-directory/fleet-file.ts'
import { HostStateFile } from '../adapters/crawl-directory/host-state-file.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HostState } from '../domain/politeness/host-throttle.ts'
import { type HostStateSource, persistHostStates } from '../domain/politeness/persist-host-states.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { type OfferProgress, offerSegment } from '../flows/cycle/offer-segment.ts'
import { offerStatus } from '../flows/cycle/segment-offer.ts'
import { workOnSegment } from '../flows/cycle/work-on-segment.ts'
import { redisArgument } from '../wiring/redis-access.ts'
import type { CrawlSession } from './crawl-session.ts'
import type { FetchFlags } from './fetch-flags.ts'
import { fetchOptions, followedBy, withWeb } from './fetch-session.ts'
import { checkFleetFlags, type FleetSession, fetchStatus, fleetCrawl, withFleet } from './fleet-session.ts'
import { formatCount, formatNumber } from './format-values.ts'
import { StatusLine } from './status-line.ts'
import type { Terminal } from './terminal.ts'

export interface OfferFlags extends FetchFlags {
  readonly redis: string | true
  readonly parse: boolean
  /** Whether this process fetches, too. */
  readonly work: boolean
}

/** `fetch --redis`: offers a segment to the fleet, and fetches with it. */
export async function offerFetch(
  session: CrawlSession,
  name: string,
  flags: OfferFlags,
  terminal: Terminal,
): Promise<FetchResult> {
  checkFleetFlags(flags)
  const { settings, seeds, path } = session
  const crawl = fleetCrawl(await writeFleetNotes(path, { seeds, hosts: [] }))
  let own: FetchProgress | undefined
  const status = () => ({ ...offerStatus(name), ...fetchStatus(own) })
  return withFleet({ redis: flags.redis, crawl, settings, status }, terminal, (fleet) => {
    terminal.err(
      `offered as ${crawl}; workers: orbweaver worker --dir ${path}${redisArgument(flags.redis)}\n`,
    )
    return afterThoseAlone(session, fleet, async (hosts) => {
      await writeFleetNotes(path, { seeds, hosts })
      const onProgress = (progress: FetchProgress) => {
        own = progress
      }
      return withWeb(session, flags, terminal, fleet, (web) =>
        offer(
          session,
          name,
          fleet,
          terminal,
          flags.work
            ? (over) =>
                workOnSegment(
                  session.segments,
                  name,
                  { ...web, ...fleet, fleet: fleet.frontier, hosts },
                  { ...fetchOptions(session, flags), onProgress },
                  over,
                )
            : undefined,
        ),
      )
    })
  })
}

async function offer(
  { segments, rules, settings, db }: CrawlSession,
  name: string,
  { frontier, clock }: FleetSession,
  terminal: Terminal,
  work: ((over: AbortSignal) => Promise<unknown>) | undefined,
): Promise<FetchResult> {
  const { generated } = await segments.info(name)
  const line = new StatusLine(terminal)
  const parts = {
    ...{ clock, frontier, segments, rules, fleet: frontier, deadLetters: frontier.deadLetters },
    shouldFollow: followedBy(db),
    announce: () => frontier.renew(),
    ...withoutUndefined({ work }),
  }
  const { redirectMax } = settings.limits
  const onProgress = (progress: OfferProgress) =>
    line.show(progress.elapsedMs, () => progressText(progress, generated))
  return offerSegment(parts, name, { redirectMax, onProgress }, terminal.interrupted).finally(() =>
    line.clear(),
  )
}

function progressText({ left, workers, pages, pagesPerSecond }: OfferProgress, generated: number): string {
  return [
    `${formatNumber(left)} of ${formatCount(generated, 'URL')} left`,
    formatCount(workers, 'worker'),
    `${pagesPerSecond.toFixed(1)} pages/s`,
    formatCount(pages, 'page'),
  ].join(' · ')
}

/**
 * Does `work` with how hosts stood when the last process ended that fetched alone. How they stand afterwards only the fleet knows: so
 * whoever fetches alone next rests first, as after a process that was killed.
 */
async function afterThoseAlone<T>(
  { path, settings }: CrawlSession,
  { clock }: FleetSession,
  work: (hosts: readonly HostState[]) => Promise<T>,
): Promise<T> {
  const memory = new HostStateFile(path)
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
    return await persistHostStates(known, memory, clock, delayMs, () => work(hosts))
  } finally {
    await memory.save({ states: known.hostStates(), savedAt: clock.now(), ended: false })
  }
}
