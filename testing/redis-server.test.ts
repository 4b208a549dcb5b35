import { expect, it } from 'vitest'
import { startRedis, startRedisCluster } from './redis-server.ts'

it('keeps data after a kill with an append-only file, and loses it without one', async () => {
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

it('distributes keys over the three nodes of a cluster', async () => {
  const cluster = await startRedisCluster()
  const replies = await Promise.all(cluster.nodes.map((node) => node.command('get', 'a')))
  expect(replies.filter((reply) => reply.startsWith('MOVED'))).toHaveLength(2)
  await cluster.stop()
})
