import { afterEach, expect, it } from 'vitest'
import type { RedisServer } from '../../../testing/redis-server.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import { jobKeys } from './keys.ts'
import { rememberNamedHosts } from './named-hosts.ts'
import type { RedisConnection } from './redis-connection.ts'

let server: RedisServer
let connection: RedisConnection

useRedis((started) => {
  ;({ server, connection } = started)
})
afterEach(() => server.command('flushall'))

it('uses the kind of address that a name had for the first worker', async () => {
  const resolved: string[] = []
  const remember = (hosts: readonly string[], internal: readonly string[]) =>
    rememberNamedHosts(connection, jobKeys('shop', connection.isCluster), hosts, async (unknown) => {
      resolved.push(...unknown)
      return unknown.filter((host) => internal.includes(host))
    })
  expect(await remember(['wiki.corp', 'a.test'], ['wiki.corp'])).toEqual(['wiki.corp'])
  expect(await remember(['a.test', 'wiki.corp', 'new.corp'], ['a.test', 'new.corp'])).toEqual([
    'wiki.corp',
    'new.corp',
  ])
  expect(await remember([], [])).toEqual([])
  expect(resolved).toEqual(['wiki.corp', 'a.test', 'new.corp'])
})
