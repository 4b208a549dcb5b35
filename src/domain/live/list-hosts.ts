import { withoutUndefined } from '../../base/without-undefined.ts'
import type { HostFigure } from '../politeness/host-queues.ts'
import type { CrawlMonitor } from './crawl-monitor.ts'
import { averageMs } from './host-traffic.ts'
import type { HostList, HostQuery, LiveHost } from './live-report.ts'

/** One page of the hosts of a crawl: those with throttle state, and those that were requested. Only the listed hosts become objects. */
export function listHosts(monitor: CrawlMonitor, query: HostQuery): HostList {
  const keys = keysOf(monitor, query.contains?.toLowerCase())
  const figures = query.sort === 'host' ? undefined : figuresOf(monitor, keys, query.sort)
  const direction = query.descending ? -1 : 1
  const compare = (a: number, b: number) => {
    const difference = figures === undefined ? 0 : (figures[a] as number) - (figures[b] as number)
    if (difference !== 0) return difference * direction
    const order = (keys[a] as string) < (keys[b] as string) ? -1 : 1
    return figures === undefined ? order * direction : order
  }
  const first = firstOf(keys.length, query.offset + query.limit, compare)
  return {
    total: keys.length,
    hosts: first.slice(query.offset).map((i) => describeHost(monitor, keys[i] as string)),
  }
}

function keysOf({ source, traffic }: CrawlMonitor, contains: string | undefined): string[] {
  const keys: string[] = []
  const fetcher = source?.fetcher
  for (const key of fetcher?.hosts() ?? [])
    if (contains === undefined || key.includes(contains)) keys.push(key)
  for (const key of traffic.keys())
    if (!fetcher?.hasHost(key) && (contains === undefined || key.includes(contains))) keys.push(key)
  return keys
}

function figuresOf(monitor: CrawlMonitor, keys: readonly string[], sort: Exclude<HostQuery['sort'], 'host'>) {
  const figures = new Float64Array(keys.length)
  for (const [i, key] of keys.entries()) figures[i] = figureOf(monitor, key, sort)
  return figures
}

function figureOf({ source, traffic }: CrawlMonitor, key: string, sort: Exclude<HostQuery['sort'], 'host'>) {
  if (sort === 'requests' || sort === 'errors') return traffic.of(key)?.[sort] ?? 0
  if (sort !== 'averageMs') return source?.fetcher.hostFigure(key, FIGURES[sort]) ?? 0
  const counters = traffic.of(key)
  return counters === undefined ? 0 : averageMs(counters)
}

const FIGURES = {
  queued: 'queued',
  inFlight: 'inFlight',
  nextAllowedAt: 'readyAt',
  delayMs: 'delayMs',
} as const satisfies Record<string, HostFigure>

/** The first `count` of the numbers from 0 to `length` - 1. Faster than sorting all of them, as a page is short. */
function firstOf(length: number, count: number, compare: (a: number, b: number) => number): number[] {
  const first: number[] = []
  for (let i = 0; i < length; i++) {
    if (first.length >= count && compare(i, first[first.length - 1] as number) >= 0) continue
    let low = 0
    for (let high = first.length; low < high; ) {
      const middle = (low + high) >> 1
      if (compare(i, first[middle] as number) < 0) high = middle
      else low = middle + 1
    }
    if (first.length >= count) first.pop()
    if (low < count) first.splice(low, 0, i)
  }
  return first
}

function describeHost({ source, traffic }: CrawlMonitor, key: string): LiveHost {
  const counters = traffic.of(key)
  const queue = source?.fetcher.host(key)
  return {
    host: key,
    queued: queue?.queued ?? 0,
    inFlight: queue?.inFlight ?? 0,
    nextAllowedAt: Math.round(queue?.readyAt ?? 0),
    delayMs: Math.round(queue?.delay.delayMs ?? 0),
    delaySetBy: queue?.delay.setBy ?? 'config',
    ...withoutUndefined({ parkedUntil: queue?.parked?.until, parkedReason: queue?.parked?.reason }),
    requests: counters?.requests ?? 0,
    errors: counters?.errors ?? 0,
    averageMs: counters === undefined ? 0 : Math.round(averageMs(counters)),
    robots: (counters && source?.robots.describe(counters.url)) ?? { state: 'unknown' },
  }
}
