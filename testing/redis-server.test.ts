import { expect, it } from 'vitest'
import { startRedis, startRedisCluster } from './redis-server.ts'

it('keeps what was written over a kill when it has a file for it, and loses it when not', async () => {
  for (const aof of [true, false]) {
    const server = await startRedis({ aof })
    await server.command('set', 'a', '1')
    await server.kill()
    await server.restart()
    expect(await server.command('get', 'a')).toBe(aof ? '1' : '')
    await server.stop()
    await expect(server.command('ping')).rejects.toThrow()
  }
})

it('divides all keys among the three nodes of a cluster', async () => {
  const cluster = await startRedisCluster()
  const replies = await Promise.all(cluster.nodes.map((node) => node.command('get', 'a')))
  expect(replies.filter((reply) => reply.startsWith('MOVED'))).toHaveLength(2)
  await cluster.stop()
})
