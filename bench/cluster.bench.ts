/**
 * One crawl over several Redis nodes: rates, and the processor time of Redis and of the workers for each request, which must not grow with the
 * number of nodes. `CLUSTER_NODES=1,2,4`, `CLUSTER_SHARDS=8`, `CLUSTER_WORKERS=2`, `CLUSTER_REQUESTS=100000` choose the sizes. Workers send no HTTP requests.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseRedisAddress } from '../src/adapters/redis/redis-address.ts'
import { connectRedis, type RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import { RedisFrontier } from '../src/adapters/redis/redis-frontier.ts'
import { ShardedFrontier } from '../src/adapters/redis/sharded-frontier.ts'
import { steadyClock } from '../src/base/clock.ts'
import { type RedisCluster, startRedisCluster } from '../testing/redis-server.ts'
import { chosenSize, chosenSizes } from './chosen-sizes.ts'
import { cpuSeconds, LINKS, requests, settlementOf, usedMemory } from './frontier-load.ts'
import { machineFacts, machineText } from './machine-facts.ts'

const NODES = chosenSizes('CLUSTER_NODES', '1,2,4')
const SHARDS = chosenSize('CLUSTER_SHARDS', 8)
const WORKERS = chosenSize('CLUSTER_WORKERS', 2)
const REQUESTS = chosenSize('CLUSTER_REQUESTS', 100_000)
const HOSTS = 10_000
const BATCH = 500
const CRAWL = 'bench'

export async function run(): Promise<void> {
  const [{ nodes }] = [await startRedisCluster({ primaries: 1 })]
  const version = /redis_version:(\S+)/.exec((await nodes[0]?.command('info', 'server')) ?? '')?.[1]
  await nodes[0]?.stop()
  console.log(
    `${machineText(machineFacts())}, Redis ${version}; ${WORKERS} workers, ${REQUESTS} requests of ${HOSTS} hosts`,
  )
  console.log(`Pages are settled with an item and ${LINKS} links to other hosts, of which 4 are new.\n`)
  console.log(
    '| nodes | shards | | requests/s | Redis µs each | worker µs each | calls each | bytes in | bytes out | stored bytes each |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const costs: number[] = []
  for (const [nodes, shards] of [[1, 1], ...NODES.map((count) => [count, SHARDS])] as [number, number][])
    costs.push(await measure(nodes, shards))
  const [, first = 0, ...more] = costs
  const worst = Math.max(...more.map((cost) => cost / first))
  console.log(
    `\nRedis processor time of a page with ${NODES.at(-1)} nodes at most ${worst.toFixed(2)} times that with ${NODES[0]}`,
  )
}

/** Returns the microseconds of Redis for a page with links. */
async function measure(primaries: number, shards: number): Promise<number> {
  const cluster = await startRedisCluster({ primaries })
  const share = Math.floor(REQUESTS / WORKERS)
  let cost = 0
  try {
    for (const phase of PHASES) {
      const before = await used(cluster)
      const done = await Promise.all(
        Array.from({ length: WORKERS }, (_, i) =>
          inProcess(cluster.address, phase, shards, i * share, share),
        ),
      )
      const after = await used(cluster)
      const count = sum(done.map((one) => one.requests))
      const each = (amount: number) => amount / count
      const redisUs = each((after.cpu - before.cpu) * 1e6)
      if (phase === 'links') cost = redisUs
      const rate = count / (Math.max(...done.map(({ ms }) => ms)) / 1000)
      const columns = [
        rate.toFixed(0),
        redisUs.toFixed(1),
        each(sum(done.map(({ cpuMs }) => cpuMs)) * 1000).toFixed(1),
        each(sum(done.map(({ calls }) => calls))).toFixed(3),
        each(after.bytesIn - before.bytesIn).toFixed(0),
        each(after.bytesOut - before.bytesOut).toFixed(0),
        phase === 'add' ? each(after.memory - before.memory).toFixed(0) : '',
      ]
      console.log(`| ${primaries} | ${shards} | ${NAMES[phase]} | ${columns.join(' | ')} |`)
    }
  } finally {
    await cluster.stop()
  }
  return cost
}

const PHASES = ['add', 'settle', 'links', 'renew', 'look'] as const

const NAMES = {
  add: 'add',
  settle: 'lease and settle',
  links: `lease and settle, ${LINKS} links`,
  renew: 'renew the lease of a worker in a shard',
  look: 'look whether a shard has requests',
}

async function used({ nodes }: RedisCluster) {
  const read = async (name: string) => {
    const infos = await Promise.all(nodes.map((node) => node.command('info', 'stats')))
    return sum(infos.map((info) => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1])))
  }
  return {
    cpu: sum(await Promise.all(nodes.map(cpuSeconds))),
    memory: sum(await Promise.all(nodes.map(usedMemory))),
    bytesIn: await read('total_net_input_bytes'),
    bytesOut: await read('total_net_output_bytes'),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}

interface Done {
  readonly requests: number
  readonly ms: number
  /** Of the worker. */
  readonly cpuMs: number
  /** Scripts that it ran. */
  readonly calls: number
}

async function inProcess(address: string, ...args: ReadonlyArray<string | number>): Promise<Done> {
  const child = fork(import.meta.filename, [address, ...args.map(String)])
  const [done] = (await once(child, 'message')) as [Done]
  await once(child, 'exit')
  return done
}

async function work(
  address: string,
  phase: string,
  shards: number,
  from: number,
  count: number,
): Promise<Done> {
  let calls = 0
  const connected = await connectRedis(parseRedisAddress(address))
  const connection: RedisConnection = {
    isCluster: connected.isCluster,
    run(...call) {
      calls++
      return connected.run(...call)
    },
    close: () => connected.close(),
  }
  const frontier =
    shards === 1
      ? new RedisFrontier(connection, steadyClock, CRAWL)
      : new ShardedFrontier(connection, steadyClock, CRAWL, shards)
  await frontier.pending()
  calls = 0
  const begun = performance.now()
  const cpu = process.cpuUsage()
  let done = 0
  if (phase === 'add') {
    for (; done < count; done += BATCH) await frontier.add(requests(from + done, BATCH, HOSTS))
  } else if (phase === 'renew' || phase === 'look') {
    // Joins.
    await frontier.claim('www.example.org')
    calls = 0
    for (let i = 0; i < 400; i++) await (phase === 'renew' ? frontier.renew() : frontier.pending())
    done = calls
  } else {
    const wanted = phase === 'links' ? count / 4 : count / 2
    while (done < wanted) {
      const leases = await frontier.lease({ requests: BATCH, perHost: 100, now: steadyClock.now() })
      const leased = leases.flatMap((lease) => lease.requests)
      if (leased.length === 0) break
      await frontier.settle(leased.map((one) => settlementOf(one, phase === 'links' ? LINKS : 0)))
      done += leased.length
    }
  }
  const { user, system } = process.cpuUsage(cpu)
  const result = { requests: done, ms: performance.now() - begun, cpuMs: (user + system) / 1000, calls }
  await frontier.close()
  connected.close()
  return result
}

// The processes that `run` starts.
const [, , address = '', phase = '', shards = '', from = '', count = ''] = process.argv
if (phase !== '' && address.startsWith('redis+cluster:'))
  process.send?.(await work(address, phase, Number(shards), Number(from), Number(count)))
