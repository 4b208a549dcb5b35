import { expect, it } from 'vitest'
import type { ServerInfo } from '../../adapters/redis/server-facts.ts'
import { checkRedis } from './check-redis.ts'
import type { Finding } from './finding.ts'

const SOUND: ServerInfo = {
  port: 6379,
  version: '7.0.15',
  maxmemoryPolicy: 'noeviction',
  usedBytes: 1e6,
  maxBytes: 0,
  appendOnly: true,
  writesFail: false,
  savedAt: undefined,
  role: 'master',
  now: 1_000_000,
}

it('finds no problem in a sound Redis', () => {
  expect(checkRedis(SOUND, 1_000_010).filter(({ state }) => state !== 'ok')).toEqual([])
})

it.each<[string, Partial<ServerInfo>, Finding['state'], string]>([
  ['an old version', { version: '6.0.16' }, 'problem', 'Redis version'],
  ['eviction', { maxmemoryPolicy: 'allkeys-lru' }, 'problem', 'Redis eviction'],
  ['a missing append-only file', { appendOnly: false }, 'warning', 'Redis persistence'],
  ['failing writes', { writesFail: true }, 'problem', 'Redis persistence'],
  ['full memory', { usedBytes: 95, maxBytes: 100 }, 'problem', 'Redis memory'],
  ['a replica', { role: 'slave' }, 'problem', 'Redis role'],
  ['a different clock', { now: 0 }, 'warning', 'Redis clock'],
])('reports %s', (_, info, state, check) => {
  const found = checkRedis({ ...SOUND, ...info }, 1_000_000).filter((finding) => finding.state !== 'ok')
  expect(found).toMatchObject([{ check, state }])
  expect(found[0]?.remedy).toMatch(/^[A-Z].*\.$/)
})
