import type { Fleet } from '../../domain/frontier/fleet.ts'
import type { Frontier } from '../../domain/frontier/frontier.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'
import { FetchLoop, type FetchParts } from './fetch-loop.ts'
import { type FetchOptions, withFetchDefaults } from './fetch-options.ts'
import type { FetchResult } from './fetch-result.ts'
import { LeasedList } from './leased-list.ts'

/** The parts of a fetch by a worker of a fleet. */
export interface FleetFetchParts extends Omit<FetchParts, 'shouldFollow' | 'hostStateStore' | 'fleet'> {
  readonly fleet: Fleet
  readonly frontier: Frontier
  /** The throttle states that the last single process saved. @default none */
  readonly hosts?: readonly HostState[]
}

/**
 * Fetches URLs of a segment that another process offers (`offerSegment`), and writes their rows, until `signal` aborts: the offer is
 * over, or this process stops. Requests in flight are then finished, and the other URLs are requeued. Several workers may do so at once,
 * each with its own writer name.
 */
export async function workOnSegment(
  segments: Pick<SegmentStore, 'append'>,
  name: string,
  parts: FleetFetchParts,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FetchResult> {
  const { frontier, hosts = [], ...fetching } = parts
  const loop = new FetchLoop(fetching, { ...options, queueDepth: AHEAD })
  loop.restoreHosts(hosts)
  const appender = await segments.append(name)
  const list = new LeasedList(frontier, parts.clock, {
    segment: name,
    appender,
    depth: withFetchDefaults(options).threads * AHEAD,
    onLease: ({ throttle }) => throttle !== undefined && loop.restoreHosts([throttle]),
    hostState: (host) => loop.hostState(host),
  })
  const stop = (): void => {
    list.end()
    void loop.stop()
  }
  signal.addEventListener('abort', stop)
  try {
    const onLeft = (url: string) => list.left(url)
    const joined = loop.join({ name, entries: list.entries(), appender: list.appender, onLeft })
    if (signal.aborted) stop()
    return await joined
  } finally {
    signal.removeEventListener('abort', stop)
    await appender.close().finally(() => list.close())
  }
}

/** URLs leased per thread: enough to keep the threads busy, and no more, because other workers need hosts, too. */
const AHEAD = 8
