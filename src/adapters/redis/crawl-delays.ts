import type { Job } from './job.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { numberIn } from './stored-request.ts'
import { readThrottle } from './stored-throttle.ts'

/** Why requests of a crawl are not handed out yet. Each count is of a sample: the first 500 of each shard. */
export interface CrawlDelays {
  /** Delayed requests that are retries, and those that the spider scheduled for later. */
  readonly retries: number
  readonly scheduled: number
  /** When the first of them is due (ms since the epoch). Absent: none is delayed. */
  readonly nextDueAt?: number
  /** Hosts whose next allowed time is not reached, by the reason for it. */
  readonly hosts: Readonly<Record<HostDelay, number>>
}

/** `paused`: not requested for a while, after too many failures or for a long Retry-After. `delay`: the usual delay. */
export type HostDelay = 'paused' | 'backOff' | 'crawlDelay' | 'delay'

/** @param shards the crawl in each of its shards */
export async function crawlDelays(shards: readonly Job[]): Promise<CrawlDelays> {
  const all = await Promise.all(
    shards.map(async (job) => readDelays(await job.run(SCRIPTS.delays, {}, ['500']))),
  )
  const nextDueAt = all.reduce(
    (first, delays) => Math.min(first, delays.nextDueAt ?? first),
    Number.POSITIVE_INFINITY,
  )
  const sum = (count: (delays: CrawlDelays) => number) =>
    all.reduce((total, delays) => total + count(delays), 0)
  return {
    retries: sum(({ retries }) => retries),
    scheduled: sum(({ scheduled }) => scheduled),
    ...(Number.isFinite(nextDueAt) && { nextDueAt }),
    hosts: {
      paused: sum(({ hosts }) => hosts.paused),
      backOff: sum(({ hosts }) => hosts.backOff),
      crawlDelay: sum(({ hosts }) => hosts.crawlDelay),
      delay: sum(({ hosts }) => hosts.delay),
    },
  }
}

/** Reads the reply of `scripts/delays.lua`. Other programs may have written the stored values. */
export function readDelays(reply: unknown): CrawlDelays {
  const [attempts, first, states] = reply as [unknown[], unknown, string[]]
  const retries = attempts.filter((attempt) => numberIn(attempt) > 1).length
  const hosts = { paused: 0, backOff: 0, crawlDelay: 0, delay: 0 }
  for (let i = 0; i < states.length; i += 2) hosts[hostDelay(states[i] ?? '', states[i + 1] ?? '')]++
  return {
    retries,
    scheduled: attempts.length - retries,
    ...(first !== '' && { nextDueAt: numberIn(first) }),
    hosts,
  }
}

function hostDelay(host: string, json: string): HostDelay {
  const throttle = readThrottle(host, json, '', { restMs: 0, now: 0 })
  if (throttle?.parked !== undefined) return 'paused'
  if (throttle !== undefined && throttle.failures > 0) return 'backOff'
  return throttle !== undefined && throttle.crawlDelayMs > 0 ? 'crawlDelay' : 'delay'
}
