import { ConfigurationError } from '../../base/crawl-error.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { shardTag } from './shards.ts'

export interface ServerFacts {
  /** The time of the crawl (ms since the epoch). */
  readonly now: number
  readonly maxmemoryPolicy: string
}

/** Of the server that holds the crawl. */
export async function serverFacts(connection: RedisConnection, { base }: JobKeys): Promise<ServerFacts> {
  const [now, maxmemoryPolicy = ''] = (await connection.run(SCRIPTS.serverFacts, [base], [])) as string[]
  return { now: Number(now), maxmemoryPolicy }
}

/** @throws ConfigurationError when the server may throw parts of the crawl away */
export function checkEviction(maxmemoryPolicy: string): void {
  if (maxmemoryPolicy === 'noeviction' || maxmemoryPolicy === '') return
  throw new ConfigurationError(
    'REDIS_UNSUITABLE',
    `this Redis has maxmemory-policy ${maxmemoryPolicy}: when its memory is full it would evict parts of the crawl, and pages would be lost or fetched twice. ` +
      'Set it to noeviction (CONFIG SET maxmemory-policy noeviction), or allow it if you know that memory suffices',
  )
}

/**
 * A lease ends by the clock of its shard, and the delay of a host that was lost with it by the clock of the home shard. Between the last request of a
 * worker and the end of its lease is a third of the lease, which covers the difference.
 * @param times of the shards
 * @param readMs how long it took to read them
 * @throws ConfigurationError
 */
export function checkClocks(times: readonly number[], readMs: number, leaseMs: number): void {
  const sorted = times.toSorted((a, b) => a - b)
  const differenceMs = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0) - readMs
  if (differenceMs <= leaseMs / 6) return
  throw new ConfigurationError(
    'REDIS_UNSUITABLE',
    `the clocks of the Redis nodes differ by ${Math.round(differenceMs / 1000)} s, more than a sixth of redis.leaseSeconds: hosts could be requested too soon. Set the clocks, for example with NTP`,
  )
}

/** The health of a server, for `doctor`. */
export interface ServerInfo {
  readonly port: number
  readonly version: string
  /** '' if the server does not report it. */
  readonly maxmemoryPolicy: string
  readonly usedBytes: number
  /** 0: no limit. */
  readonly maxBytes: number
  readonly appendOnly: boolean
  /** The last write of the append-only file or of a snapshot failed. */
  readonly writesFail: boolean
  /** When the last snapshot was written (ms since the epoch); `undefined`: never. */
  readonly savedAt: number | undefined
  readonly role: string
  /** The time of the server (ms since the epoch). */
  readonly now: number
}

/** Of the server; in a cluster, of every primary that has at least a 64th of the slots. */
export async function serverInfos(connection: RedisConnection): Promise<readonly ServerInfo[]> {
  const tags = connection.isCluster
    ? Array.from({ length: 64 }, (_, number) => shardTag('doctor', { number, of: 64 }))
    : ['doctor']
  const servers = new Map<string, ServerInfo>()
  for (const reply of await Promise.all(
    tags.map((tag) => connection.run(SCRIPTS.serverInfo, [`orbweaver:{${tag}}`], [])),
  )) {
    const [now, text = ''] = reply as string[]
    servers.set(/^run_id:(.*?)\r?$/m.exec(text)?.[1] ?? '', readServerInfo(Number(now), text))
  }
  return [...servers.values()]
}

function readServerInfo(now: number, text: string): ServerInfo {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? ''
  const savedAt = Number(field('rdb_last_save_time')) * 1000
  return {
    port: Number(field('tcp_port')),
    version: field('redis_version'),
    maxmemoryPolicy: field('maxmemory_policy'),
    usedBytes: Number(field('used_memory')),
    maxBytes: Number(field('maxmemory')),
    appendOnly: field('aof_enabled') === '1',
    writesFail: [field('aof_last_write_status'), field('rdb_last_bgsave_status')].includes('err'),
    savedAt: savedAt > 0 ? savedAt : undefined,
    role: field('role'),
    now,
  }
}
