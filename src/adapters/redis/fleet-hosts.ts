import type { HostState } from '../../domain/politeness/host-throttle.ts'
import { crawlRules, Job } from './job.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { numberIn } from './stored-request.ts'
import { readThrottle } from './stored-throttle.ts'

/** A host of a crawl in Redis that has requests. */
export interface FleetHost {
  readonly host: string
  /** Fence of the worker that owns it. Absent: none. */
  readonly worker?: number
  /** Requests that are ready, and requests that its worker has leased. */
  readonly ready: number
  readonly leased: number
  /** As its last owner stored it; the current owner may know more. Absent: nothing is stored. */
  readonly throttle?: HostState
}

/**
 * The hosts of a crawl: those of workers first, then those without an owner, then delayed ones. Read-only, in small steps, so that Redis is
 * never busy with it for long.
 * @param most maximum number of hosts, about
 */
export async function fleetHosts(
  connection: RedisConnection,
  keys: JobKeys,
  most: number,
): Promise<readonly FleetHost[]> {
  const order = (await crawlRules(connection, keys))?.order ?? 'hosts'
  const job = new Job(connection, keys, { order, leaseMs: 0, maxDeliveries: 0, keepThrottleMs: 0 })
  // A host may move to another line between two calls.
  const hosts = new Map<string, FleetHost>()
  for (const line of ['held', 'free', 'resting'] as const) {
    let cursor = '0'
    do {
      const [next, values] = (await job.run(SCRIPTS.listHosts, {}, [line, cursor, STEP])) as [
        string,
        string[],
      ]
      for (let i = 0; i + 5 < values.length; i += 6) {
        const host = readHost(values.slice(i, i + 6))
        if (!hosts.has(host.host)) hosts.set(host.host, host)
      }
      cursor = String(next)
    } while (cursor !== '0' && hosts.size < most)
  }
  return [...hosts.values()]
}

const STEP = '250'

/** Any program may have written the values. */
function readHost([host = '', worker = '', ready, leased, readyAt, json = '']: string[]): FleetHost {
  const stored = json === '' ? undefined : readThrottle(host, json, '', { restMs: 0, now: 0 })
  const resting = numberIn(readyAt)
  const throttle = stored !== undefined && resting > stored.readyAt ? { ...stored, readyAt: resting } : stored
  return {
    host,
    ...(worker !== '' && { worker: numberIn(/^\d*/.exec(worker)?.[0]) }),
    ready: numberIn(ready),
    leased: numberIn(leased),
    ...(throttle !== undefined && { throttle }),
  }
}
