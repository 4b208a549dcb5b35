import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { put, remove } from '../../../testing/index-documents.ts'
import { indexWriterContract, type StoredDocument } from '../../../testing/index-writer-contract.ts'
import { type RedisServer, startRedis } from '../../../testing/redis-server.ts'
import { storedFields } from '../../../testing/stored-fields.ts'
import { useRedis } from '../../../testing/use-redis.ts'
import { steadyClock } from '../../base/clock.ts'
import { IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import { parseRedisAddress } from './redis-address.ts'
import { connectRedis } from './redis-connection.ts'
import { RedisStreamWriter, type RedisStreamWriterOptions } from './redis-stream-writer.ts'

let server: RedisServer
let stream = ''
let streams = 0
useRedis((started) => {
  server = started.server
})
beforeEach(() => {
  stream = `pages-${++streams}`
})

async function open(options: Partial<RedisStreamWriterOptions> = {}, address = server.address) {
  const connection = await connectRedis(parseRedisAddress(address))
  return new RedisStreamWriter(connection, { name: 'stream', stream, clock: steadyClock, ...options })
}

/** `[kind, id, document]` of each entry. */
async function entries(): Promise<[kind: string, id: string, document: string | undefined][]> {
  const script = "return cjson.encode(redis.call('XRANGE', KEYS[1], '-', '+'))"
  const reply = JSON.parse(await server.command('eval', script, '1', stream)) as
    | Record<string, never>
    | [string, string[]][]
  return Array.isArray(reply)
    ? reply.map(([, [, kind = '', , id = '', , document]]) => [kind, id, document])
    : []
}

/** What a consumer has that applies the entries in order. */
async function replayed(): Promise<StoredDocument[]> {
  const documents = new Map<string, StoredDocument>()
  for (const [kind, id, document] of await entries())
    if (kind === 'delete') documents.delete(id)
    else documents.set(id, storedFields(JSON.parse(document ?? '{}') as Record<string, unknown>))
  return [...documents.values()]
}

indexWriterContract('RedisStreamWriter', async () => ({
  writer: await open(),
  reopen: () => open(),
  stored: replayed,
  close: async () => {},
}))

describe('RedisStreamWriter', () => {
  it('removes old entries past the maximum length', async () => {
    const writer = await open({ maxLength: 100 })
    await writer.write(Array.from({ length: 1_000 }, (_, i) => put(`http://a.test/${i}`)))
    const found = await entries()
    expect(found.length).toBeLessThan(400)
    expect(found.at(-1)?.[1]).toBe('http://a.test/999')
    await writer.close()
  })

  it('publishes when Redis is back after a restart', async () => {
    const restarted = await startRedis({ aof: true })
    const writer = await open({}, restarted.address)
    await writer.write([put('a')])
    await restarted.kill()
    const written = writer.write([put('b'), remove('a')])
    await restarted.restart()
    expect(await written).toEqual([])
    expect(Number(await restarted.command('xlen', stream))).toBeGreaterThanOrEqual(3)
    await writer.close()
    await restarted.stop()
  })

  it('gives up on a Redis that stays away, and when it is interrupted', async () => {
    const lost = await startRedis()
    const clock = new FakeClock()
    const writer = await open({ clock, patienceMs: 5_000 }, lost.address)
    const interruption = new AbortController()
    const other = await open({ clock, signal: interruption.signal }, lost.address)
    await lost.stop()
    const written = writer.write([put('a')])
    clock.advance(5_000)
    await expect(written).rejects.toThrow(IndexUnavailable)
    await expect(written).rejects.toThrow('away or full for 5 s')
    const interrupted = other.write([put('a')])
    interruption.abort()
    await expect(interrupted).rejects.toThrow('interrupted')
  })
})
