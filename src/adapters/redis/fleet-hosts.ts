import type { HostState } from '../../domain/politeness/host-throttle.ts'
import { crawlRules, guestOf, Job } from './job.ts'
import type { ShardKeys } from './keys.ts'
import { readWorkers } from './read-status.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { numberIn } from './stored-request.ts'
import { readThrottle } from './stored-throttle.ts'
import { identityOf } from './worker-session.ts'

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
 * @param shards the keys of all shards of the crawl, those of the home shard first
 * @param most maximum number of hosts, about
 */
export async function fleetHosts(
  connection: RedisConnection,
  shards: ShardKeys,
  most: number,
): Promise<readonly FleetHost[]> {
  const [home] = shards
  const order = (await crawlRules(connection, home))?.order ?? 'hosts'
  const jobs = shards.map(
    (keys) => new Job(connection, keys, { order, leaseMs: 0, maxDeliveries: 0, keepThrottleMs: 0 }),
  )
  const workers = readWorkers(await guestOf(connection, home).run(SCRIPTS.workers, {}, []))
  const fences = new Map(workers.map(({ identity, fence }) => [identity, fence]))
  // A host may move to another line between two calls.
  const hosts = new Map<string, FleetHost>()
  for (const line of ['held', 'free', 'resting'] as const)
    await Promise.all(
      jobs.map(async (job) => {
        let cursor = '0'
        do {
          const reply = await job.run(SCRIPTS.listHosts, {}, [line, cursor, STEP])
          const [next, values] = reply as [string, string[]]
          for (let i = 0; i + 5 < values.length; i += 6) {
            const host = readHost(values.slice(i, i + 6), fences)
            if (!hosts.has(host.host)) hosts.set(host.host, host)
          }
          cursor = String(next)
        } while (cursor !== '0' && hosts.size < most)
      }),
    )
  return [...hosts.values()]
}

const STEP = '250'

/**
 * Any program may have written the values.
 * @param fences of the workers in the home shard, by identity: a worker has another fence in each shard
 */
function readHost(
  [host = '', worker = '', ready, leased, readyAt, json = '']: string[],
  fences: ReadonlyMap<string, number>,
): FleetHost {
  const stored = json === '' ? undefined : readThrottle(host, json, '', { restMs: 0, now: 0 })
  const resting = numberIn(readyAt)
  const throttle = stored !== undefined && resting > stored.readyAt ? { ...stored, readyAt: resting } : stored
  return {
    host,
    ...(worker !== '' && { worker: fences.get(identityOf(worker)) ?? numberIn(/^\d*/.exec(worker)?.[0]) }),
    ready: numberIn(ready),
    leased: numberIn(leased),
    ...(throttle !== undefined && { throttle }),
  }
}
