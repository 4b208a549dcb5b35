import type { FleetHost } from '../adapters/redis/fleet-hosts.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HostDelays } from '../domain/frontier/fleet.ts'
import type { HostQuery, LiveHost } from '../domain/live/live-report.ts'
import type { RobotsState } from '../domain/robots/robots-cache.ts'
import type { RobotsRecord } from '../domain/robots/robots-record.ts'

/** A host of a fleet for display. Its current owner may know more about it than Redis. */
export function fleetHost(
  { host, worker, ready, leased, throttle }: FleetHost,
  workerNames: ReadonlyMap<number, string>,
  /** The configured delay. */
  configuredMs: number,
  /** Set by an operator. */
  delays: HostDelays,
): LiveHost {
  const { readyAt = 0, endedAt, failures = 0, crawlDelayMs = 0, latencyMs = 0, parked } = throttle ?? {}
  const operatorMs = delays.get(host)
  const delayMs = operatorMs ?? configuredMs
  // The last delay may be older than the one that the operator set.
  const isOutdated = operatorMs !== undefined && failures === 0
  const lastDelayMs = isOutdated || endedAt === undefined ? 0 : Math.max(0, readyAt - endedAt)
  const usual = operatorMs === undefined ? 'config' : 'operator'
  const setBy = failures > 0 ? 'back-off' : crawlDelayMs > 0 && crawlDelayMs >= delayMs ? 'robots' : usual
  const name = worker === undefined ? undefined : (workerNames.get(worker) ?? String(worker))
  return {
    host,
    ...{ queued: ready, inFlight: leased, nextAllowedAt: Math.round(Math.max(readyAt, parked?.until ?? 0)) },
    delayMs: Math.round(Math.max(lastDelayMs, crawlDelayMs, lastDelayMs === 0 ? delayMs : 0)),
    delaySetBy: setBy,
    ...withoutUndefined({ parkedUntil: parked?.until, parkedReason: parked?.reason, worker: name }),
    averageMs: Math.round(latencyMs),
    robots: { state: 'unknown' },
  }
}

/** The hosts of one page of the list, and the number of all that match. */
export function pageOfHosts(
  hosts: readonly LiveHost[],
  { sort, descending, offset, limit, contains = '' }: HostQuery,
): { readonly total: number; readonly hosts: readonly LiveHost[] } {
  const text = contains.toLowerCase()
  const matching = text === '' ? [...hosts] : hosts.filter(({ host }) => host.toLowerCase().includes(text))
  const sign = descending ? -1 : 1
  matching.sort((a, b) => sign * compare(a[sort], b[sort]) || compare(a.host, b.host))
  return { total: matching.length, hosts: matching.slice(offset, offset + limit) }
}

function compare(a: string | number = 0, b: string | number = 0): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The state of a stored robots.txt. */
export function robotsState(record: RobotsRecord | undefined): RobotsState {
  if (record === undefined) return { state: 'unknown' }
  const { finding, outage } = record
  const fetchedAt = finding?.checkedAt
  if (outage !== undefined)
    return {
      ...{ state: 'failed', reason: outage.reason, retryAt: outage.retryAt },
      ...withoutUndefined({ fetchedAt }),
    }
  return { state: finding.kind === 'unavailable' ? 'missing' : 'found', fetchedAt: finding.checkedAt }
}
