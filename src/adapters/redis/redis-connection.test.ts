import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificates } from '../../../testing/certificates.ts'
import { type RedisServer, startRedis } from '../../../testing/redis-server.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { jobKeys } from './keys.ts'
import { openRedisFrontier } from './open-redis-frontier.ts'
import { backOffMs } from './outage.ts'
import { parseRedisAddress } from './redis-address.ts'
import { ConnectionClosed, connectRedis, type RedisConnection, RedisUnreachable } from './redis-connection.ts'
import { script } from './redis-scripts.ts'
import { serverFacts } from './server-facts.ts'
import { shareConnection } from './shared-connections.ts'

const ECHO = script('echo', 'return ARGV')
const COUNT = script('count', `return redis.call('INCR', KEYS[1])`)
const BAD = script('bad', `return redis.call('INCR', KEYS[1], 'x')`)
const FILL = script('fill', `return redis.call('SET', KEYS[1], string.rep('x', 1000))`)

describe('a connection to Redis', () => {
  let server: RedisServer
  let connection: RedisConnection | undefined
  beforeAll(async () => {
    server = await startRedis({ aof: true })
  })
  afterAll(() => server?.stop())
  afterEach(() => connection?.close())

  it('runs scripts, also those that the server has not loaded', async () => {
    connection = await connectRedis(parseRedisAddress(server.address))
    expect(await connection.run(ECHO, ['k'], ['a', 'ü'])).toEqual(['a', 'ü'])
    await server.command('script', 'flush')
    expect(await connection.run(ECHO, ['k'], ['b'])).toEqual(['b'])
  })

  it('waits while Redis is away, and continues', async () => {
    const outages: Error[] = []
    let returns = 0
    connection = await connectRedis(parseRedisAddress(server.address), {
      onOutage: (error) => outages.push(error),
      onBack: () => returns++,
    })
    await connection.run(COUNT, ['before'], [])
    await server.kill()
    const { run } = connection
    const calls = Promise.all([1, 2, 3].map(() => run.call(connection, COUNT, ['before'], [])))
    await server.restart()
    expect(await calls).toEqual([2, 3, 4])
    expect(outages.length).toBeGreaterThan(0)
    expect(returns).toBe(1)
  })

  it('reports a key of another type', async () => {
    connection = await connectRedis(parseRedisAddress(server.address))
    await server.command('rpush', 'a-list', 'x')
    const call = connection.run(COUNT, ['a-list'], [])
    await expect(call).rejects.toThrow(ConfigurationError)
    await expect(call).rejects.toThrow(/under one of its keys: .*wrong kind of value.*or clear the crawl/)
  })

  it('waits while the memory of Redis is full', async () => {
    let outages = 0
    const full = Promise.withResolvers<void>()
    connection = await connectRedis(parseRedisAddress(server.address), {
      onOutage: () => {
        outages++
        full.resolve()
      },
    })
    await server.command('config', 'set', 'maxmemory', '1')
    const filling = connection.run(FILL, ['full'], [])
    await full.promise
    await server.command('config', 'set', 'maxmemory', '0')
    expect(await filling).toBe('OK')
    expect(outages).toBeGreaterThan(0)
  })

  it('reports the end of an outage only when Redis has accepted the refused calls, even if reads succeed earlier', async () => {
    const told: string[] = []
    const full = Promise.withResolvers<void>()
    connection = await connectRedis(parseRedisAddress(server.address), {
      onOutage: () => full.resolve(void told.push('full')),
      onBack: () => told.push('back'),
    })
    await server.command('config', 'set', 'maxmemory', '1')
    const filling = connection.run(FILL, ['full'], [])
    await full.promise
    for (let i = 0; i < 5; i++) await connection.run(ECHO, ['k'], ['read'])
    expect(told).not.toContain('back')
    await server.command('config', 'set', 'maxmemory', '0')
    await filling
    expect(told.filter((what) => what === 'back')).toHaveLength(1)
  })

  it('gives up a replica that stays read-only, and names its master', async () => {
    const replica = await startRedis({ settings: ['--replicaof', '127.0.0.1', String(server.port)] })
    const told: Error[] = []
    const options = { connectTimeoutMs: 500, onOutage: (error: Error) => void told.push(error) }
    connection = await connectRedis(parseRedisAddress(replica.address), options)
    expect(await connection.run(ECHO, ['k'], ['read'])).toEqual(['read'])
    const writing = connection.run(COUNT, ['k'], [])
    await expect(writing).rejects.toThrow(RedisUnreachable)
    await expect(writing).rejects.toThrow(
      `is a read-only replica: give the address of its master (127.0.0.1:${server.port})`,
    )
    expect(told).toEqual([])
    connection.close()

    const promoted = await connectRedis(parseRedisAddress(replica.address), { connectTimeoutMs: 60_000 })
    const counting = promoted.run(COUNT, ['promoted'], [])
    await replica.command('replicaof', 'no', 'one')
    expect(await counting).toBe(1)
    promoted.close()
    await replica.stop()
  })

  it('throws an error that is not an outage', async () => {
    connection = await connectRedis(parseRedisAddress(server.address))
    await expect(connection.run(BAD, ['k'], [])).rejects.toThrow(/refused bad/)
  })

  it('works with the ACL of docs/fleet.md, and reports a missing permission', async () => {
    const guide = readFileSync(new URL('../../../docs/fleet.md', import.meta.url), 'utf8')
    const acl = /`(ACL SETUSER crawler [^`]*)`/.exec(guide)?.[1]?.split(' ') ?? []
    expect(acl, 'the ACL of docs/fleet.md').toContain('crawler')
    await server.command(...acl)
    const user = server.address.replace('redis://', 'redis://crawler:secret@')
    const { frontier, close } = await openRedisFrontier(user, 'shop')
    await frontier.add([{ url: 'http://a.test/', handler: 'parse', depth: 0 }])
    const [lease] = await frontier.lease({ requests: 1, perHost: 1, now: Date.now() })
    expect(lease?.requests).toHaveLength(1)
    await frontier.control.clear({ force: true })
    await close()
    await expect(openRedisFrontier(user, 'other')).rejects.toThrow(ConfigurationError)
  })

  it('reports an address at which no server listens', async () => {
    const unreachable = parseRedisAddress('redis://127.0.0.1:1')
    const connecting = connectRedis(unreachable, { connectTimeoutMs: 100 })
    await expect(connecting).rejects.toThrow(RedisUnreachable)
    await expect(connecting).rejects.toThrow(
      /cannot connect to Redis at redis:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/,
    )
  })

  it('rejects waiting calls when it is closed', async () => {
    connection = await connectRedis(parseRedisAddress(server.address))
    await server.kill()
    const waiting = connection.run(COUNT, ['k'], [])
    connection.close()
    await expect(waiting).rejects.toThrow(ConnectionClosed)
    await server.restart()
  })

  it('is shared by all callers of a process until the last one closes it', async () => {
    const clients = async () =>
      Number(/connected_clients:(\d+)/.exec(await server.command('info', 'clients'))?.[1])
    const before = await clients()
    const [one, two] = await Promise.all([shareConnection(server.address), shareConnection(server.address)])
    expect(await clients()).toBe(before + 1)
    one.close()
    one.close()
    expect(await two.run(ECHO, ['k'], ['still'])).toEqual(['still'])
    two.close()
    await expect(two.run(ECHO, ['k'], [])).rejects.toThrow(ConnectionClosed)
  })

  it('rejects a Redis that may evict parts of the crawl', async () => {
    await server.command('config', 'set', 'maxmemory-policy', 'allkeys-lru')
    await expect(openRedisFrontier(server.address, 'books')).rejects.toThrow(/maxmemory-policy allkeys-lru/)
    const allowed = await openRedisFrontier(server.address, 'books', { allowEviction: true })
    await allowed.close()
    await server.command('config', 'set', 'maxmemory-policy', 'noeviction')
    await (await openRedisFrontier(server.address, 'books')).close()
  })

  it('can be closed while Redis is away', async () => {
    const rings: Array<() => void> = []
    const after = (_: number, run: () => void) => {
      rings.push(run)
      return () => {}
    }
    const opened = await openRedisFrontier(server.address, 'left', {
      clock: { now: () => Date.now(), after },
    })
    await opened.frontier.add([], 'complete')
    await server.kill()
    const closing = opened.close()
    for (const ring of rings.splice(0)) ring()
    await closing
    await server.restart()
  })

  it('uses the time of Redis, not the clock of the machine', async () => {
    let now = 5_000
    const opened = await openRedisFrontier(server.address, 'books', {
      clock: { now: () => now++, after: () => () => {} },
    })
    connection = await connectRedis(parseRedisAddress(server.address))
    const server1 = (await serverFacts(connection, jobKeys('books', false))).now
    expect(Math.abs(opened.clock.now() - server1)).toBeLessThan(5_000)
    const latest = opened.clock.now()
    now = 0
    expect(opened.clock.now()).toBe(latest)
    await opened.close()
  })
})

describe('an address of Redis', () => {
  const certificates = makeCertificates(['127.0.0.1'])
  const tls = { ...certificates.good, ca: certificates.ca }

  it('connects over TLS, with a password', async () => {
    const server = await startRedis({ tls, password: 'secret' })
    const address = parseRedisAddress(server.address)
    await expect(connectRedis(address, { connectTimeoutMs: 300 })).rejects.toThrow(/certificate/)
    const connection = await connectRedis(address, { tls: { ca: tls.ca } })
    expect(await connection.run(ECHO, ['k'], ['x'])).toEqual(['x'])
    connection.close()
    await server.stop()
  })

  it('is rejected without TLS if certificates are given', async () => {
    const connecting = connectRedis(parseRedisAddress('redis://127.0.0.1:1'), { tls: { ca: tls.ca } })
    await expect(connecting).rejects.toThrow(/write rediss in place of redis/)
  })

  it('reports a wrong password', async () => {
    const server = await startRedis({ password: 'secret' })
    const wrong = parseRedisAddress(server.address.replace('secret', 'guess'))
    await expect(connectRedis(wrong, { connectTimeoutMs: 500 })).rejects.toThrow(/WRONGPASS/)
    await server.stop()
  })

  it('accepts a password that is given separately, and another one for sentinels', async () => {
    const server = await startRedis({ password: 'secret' })
    const address = `127.0.0.1:${server.port}`
    await expect(connectRedis(parseRedisAddress(address), { connectTimeoutMs: 500 })).rejects.toThrow(
      /NOAUTH/,
    )
    const credentials = { user: 'default', password: 'secret' }
    const connection = await shareConnection(address, { credentials })
    expect(await connection.run(ECHO, ['k'], ['x'])).toEqual(['x'])
    // Another password is another connection; what the address says is stronger.
    const wrong = { credentials: { password: 'guess' }, connectTimeoutMs: 500 }
    await expect(shareConnection(address, wrong)).rejects.toThrow(/^(?!.*guess).*WRONGPASS/s)
    const stronger = await shareConnection(server.address, wrong)
    stronger.close()
    connection.close()
    await server.stop()

    const master = await startRedis()
    const sentinel = await startRedis({
      sentinelOf: master,
      password: 'guard',
      settings: ['--requirepass', 'guard'],
    })
    const guarded = parseRedisAddress(sentinel.address)
    await expect(connectRedis(guarded, { connectTimeoutMs: 500 })).rejects.toThrow(RedisUnreachable)
    const behind = await connectRedis(guarded, { credentials: { sentinelPassword: 'guard' } })
    expect(await behind.run(COUNT, ['counted'], [])).toBe(1)
    behind.close()
    await sentinel.stop()
    await master.stop()
  })

  it('connects through a sentinel', async () => {
    const master = await startRedis()
    const sentinel = await startRedis({ sentinelOf: master })
    const connection = await connectRedis(parseRedisAddress(sentinel.address))
    await connection.run(COUNT, ['counted'], [])
    expect(await master.command('get', 'counted')).toBe('1')
    connection.close()
    await sentinel.stop()
    await master.stop()
  })
})

it('backs off for longer after each failure, but not for ever', () => {
  expect([1, 2, 3, 20].map((failures) => backOffMs(failures, 1))).toEqual([50, 100, 200, 5_000])
  expect(backOffMs(3, 0)).toBe(100)
})
