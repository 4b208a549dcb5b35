import type { RedisCluster, RedisServer } from './redis-server.ts'

/** Moves a slot with its keys to another node of a cluster, as `redis-cli --cluster reshard` does, a few keys at a time. */
export async function moveSlot(cluster: RedisCluster, slot: number, to: RedisServer): Promise<void> {
  const from = await ownerOf(cluster, slot)
  if (from.port === to.port) return
  const [fromId, toId] = await Promise.all([from.command('cluster', 'myid'), to.command('cluster', 'myid')])
  await to.command('cluster', 'setslot', String(slot), 'importing', fromId)
  await from.command('cluster', 'setslot', String(slot), 'migrating', toId)
  for (;;) {
    const keys = (await from.command('cluster', 'getkeysinslot', String(slot), '5'))
      .split('\n')
      .filter(Boolean)
    if (keys.length === 0) break
    await from.command('migrate', '127.0.0.1', String(to.port), '', '0', '5000', 'keys', ...keys)
  }
  for (const node of [to, from]) await node.command('cluster', 'setslot', String(slot), 'node', toId)
}

/** The primary that has a slot. */
export async function ownerOf(cluster: RedisCluster, slot: number): Promise<RedisServer> {
  for (const node of cluster.nodes) {
    const text = await node.command('cluster', 'nodes').catch(() => '')
    for (const line of text.split('\n')) {
      const [, address = '', flags = '', , , , , ...ranges] = line.split(' ')
      if (!flags.includes('master') || flags.includes('fail') || !ranges.some((range) => has(range, slot)))
        continue
      const port = Number(/:(\d+)@/.exec(address)?.[1])
      const owner = cluster.nodes.find((one) => one.port === port)
      if (owner !== undefined) return owner
    }
  }
  throw new Error(`no node has slot ${slot}`)
}

/** @param range `5`, or `5-9` */
function has(range: string, slot: number): boolean {
  const [first = '', last = first] = range.split('-')
  return Number(first) <= slot && slot <= Number(last)
}
