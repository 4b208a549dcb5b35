import type { ServerInfo } from '../../adapters/redis/server-facts.ts'
import { formatBytes } from '../../base/format-values.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** The oldest Redis with the commands that the scripts use. */
const MIN_VERSION = [6, 2] as const
const MAX_SKEW_MS = 1_000

/**
 * Version, eviction, persistence, memory and clock of a Redis.
 * @param now the clock of this machine (ms since the epoch)
 */
export function checkRedis(info: ServerInfo, now: number): Finding[] {
  return [
    checkVersion(info.version),
    checkEviction(info),
    checkPersistence(info),
    checkMemory(info),
    checkRole(info),
    checkSkew(info.now - now),
  ]
}

function checkVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isRecent = major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])
  return isRecent
    ? ok('Redis version', version)
    : problem(
        'Redis version',
        `${version} is too old`,
        `Use Redis ${MIN_VERSION.join('.')} or later, or Valkey.`,
      )
}

function checkEviction({ maxmemoryPolicy }: ServerInfo): Finding {
  return maxmemoryPolicy === 'noeviction' || maxmemoryPolicy === ''
    ? ok('Redis eviction', maxmemoryPolicy === '' ? 'not reported by this server' : maxmemoryPolicy)
    : problem(
        'Redis eviction',
        `maxmemory-policy is ${maxmemoryPolicy}: when its memory is full, Redis deletes parts of the crawl`,
        'Set maxmemory-policy noeviction.',
      )
}

function checkPersistence({ appendOnly, writesFail, savedAt }: ServerInfo): Finding {
  const check = 'Redis persistence'
  if (writesFail)
    return problem(
      check,
      'the last write to disk failed',
      'Check the disk of Redis and its log: a restart would lose the crawl.',
    )
  if (appendOnly) return ok(check, 'append-only file')
  const snapshot = savedAt === undefined ? 'no snapshot' : `last snapshot ${new Date(savedAt).toISOString()}`
  return warning(
    check,
    `no append-only file, ${snapshot}: a crash of Redis loses the changes since then, and those pages are fetched again`,
    'Set appendonly yes.',
  )
}

function checkMemory({ usedBytes, maxBytes }: ServerInfo): Finding {
  const used = `${formatBytes(usedBytes)} used`
  if (maxBytes === 0) return ok('Redis memory', `${used}, no limit`)
  const text = `${used} of ${formatBytes(maxBytes)}`
  return usedBytes > maxBytes * 0.9
    ? problem(
        'Redis memory',
        text,
        'Increase maxmemory, or take the items of finished crawls and clear them: workers stop when it is full.',
      )
    : ok('Redis memory', text)
}

function checkRole({ role }: ServerInfo): Finding {
  return role === 'slave'
    ? problem(
        'Redis role',
        'this server is a replica, which cannot be written',
        'Give the address of the primary.',
      )
    : ok('Redis role', 'primary')
}

function checkSkew(skewMs: number): Finding {
  const text = `${Math.round(Math.abs(skewMs))} ms`
  return Math.abs(skewMs) <= MAX_SKEW_MS
    ? ok('Redis clock', `${text} from this machine`)
    : warning(
        'Redis clock',
        `${text} ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`,
        'Set both clocks, for example with NTP. Workers use the clock of Redis; times in reports of this machine differ.',
      )
}
