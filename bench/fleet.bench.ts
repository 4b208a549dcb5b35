/**
 * Throughput and memory of the frontier in Redis, with one Redis server and several processes that send no HTTP requests.
 * `FLEET_WORKERS=1,2,4,8`, `FLEET_REQUESTS=100000` (each row), `FLEET_HOSTS=1000,1000000` with `FLEET_PENDING=1000000` and
 * `FLEET_SEEN=1000000,10000000` choose the sizes.
 */

import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { parseRedisAddress } from '../src/adapters/redis/redis-address.ts'
import { connectRedis } from '../src/adapters/redis/redis-connection.ts'
import { RedisFrontier } from '../src/adapters/redis/redis-frontier.ts'
import { readScript, script } from '../src/adapters/redis/redis-scripts.ts'
import { steadyClock } from '../src/base/clock.ts'
import type { LeasedRequest } from '../src/domain/frontier/frontier.ts'
import { type RedisServer, startRedis } from '../testing/redis-server.ts'
import { chosenSize, chosenSizes } from './chosen-sizes.ts'
import { cpuSeconds, LINKS, requests, settlementOf, usedMemory } from './frontier-load.ts'

const WORKERS = chosenSizes('FLEET_WORKERS', '1,2,4,8')
const REQUESTS = chosenSize('FLEET_REQUESTS', 100_000)
const HOSTS = chosenSizes('FLEET_HOSTS', '1000,1000000')
const SEEN_URLS = chosenSizes('FLEET_SEEN', '1000000,10000000')
const BATCH = 500
const PENDING = chosenSize('FLEET_PENDING', 1_000_000)
const CRAWL = 'bench'

/** What is wanted of it on two cores. */
const ADDED_PER_SECOND = 20_000
const SETTLED_PER_SECOND = 5_000
/** Of what a request costs Redis with the most hosts waiting, against the fewest. */
const MAX_RATIO = 1.5
const MAX_SEEN_BYTES = 12

export async function run(): Promise<void> {
  console.log(
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')} before we began\n`,
  )
  await throughput()
  await manyHosts()
  await seenUrls()
}

/** Requests through the frontier in a second, all processes together. */
async function throughput(): Promise<void> {
  const total = REQUESTS
  console.log(
    `${total} requests of 1000 hosts     added/s   leased and settled/s   with ${LINKS} links each/s`,
  )
  const slowest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const workers of WORKERS) {
    const server = await startRedis()
    const share = Math.floor(total / workers)
    const rates: number[] = []
    for (const phase of ['add', 'settle', 'links'] as const) {
      const begun = performance.now()
      const done = await Promise.all(
        Array.from({ length: workers }, (_, i) => inProcess(server, phase, i * share, share)),
      )
      const seconds = Math.max(...done.map(({ ms }) => ms)) / 1000
      rates.push(sum(done.map(({ requests }) => requests)) / seconds)
      if (phase === 'settle') await inProcess(server, 'add', total, total / 5)
      if (performance.now() - begun > 300_000) break
    }
    const shown = rates.map((rate) => rate.toFixed(0).padStart(16)).join('')
    console.log(`  ${String(workers).padStart(2)} workers            ${shown}`)
    for (const [i, rate] of slowest.entries()) slowest[i] = Math.min(rate, rates[i] ?? 0)
    await server.stop()
  }
  const [added = 0, settled = 0] = slowest
  tellTarget(`at least ${ADDED_PER_SECOND} added a second`, added >= ADDED_PER_SECOND)
  tellTarget(`at least ${SETTLED_PER_SECOND} leased and settled a second`, settled >= SETTLED_PER_SECOND)
}

/** The same work with few and with very many hosts waiting, by the time that Redis itself needs for it. */
async function manyHosts(): Promise<void> {
  console.log(
    `\n${PENDING} requests waiting     µs of Redis for each request: add   lease   settle   bytes a request`,
  )
  const all: number[][] = []
  for (const hosts of HOSTS) {
    const server = await startRedis()
    const connection = await connectRedis(parseRedisAddress(server.address))
    const frontier = new RedisFrontier(connection, steadyClock, CRAWL)
    const empty = await usedMemory(server)
    for (let i = 0; i < PENDING; i += 5_000) await frontier.add(requests(i, 5_000, hosts))
    const bytes = ((await usedMemory(server)) - empty) / PENDING
    const cost = await costs(server, frontier, hosts)
    all.push(cost)
    console.log(
      `  ${String(hosts).padStart(8)} hosts ${cost.map((us) => us.toFixed(1).padStart(24)).join('')}${bytes.toFixed(0).padStart(14)}`,
    )
    await frontier.close()
    connection.close()
    await server.stop()
  }
  const [few = []] = all
  const many = all.at(-1) ?? []
  const ratios = many.map((us, i) => us / (few[i] ?? us))
  console.log(`  ratio          ${ratios.map((ratio) => `${ratio.toFixed(2)}×`.padStart(24)).join('')}`)
  const whole = sum(many) / sum(few)
  console.log(`  all three together: ${whole.toFixed(2)}×`)
  tellTarget(
    `with the most hosts at most ${MAX_RATIO} times what it costs with the fewest`,
    whole <= MAX_RATIO,
  )
}

/** Microseconds of Redis to add, lease and settle one request, 500 hosts at a time. */
async function costs(server: RedisServer, frontier: RedisFrontier, hosts: number): Promise<number[]> {
  const sums = [0, 0, 0]
  const rounds = 40
  for (let round = 0; round < rounds; round++) {
    let leased: LeasedRequest[] = []
    const works = [
      () => frontier.add(requests(PENDING + round * BATCH, BATCH, hosts)),
      async () => {
        const leases = await frontier.lease({ requests: BATCH, perHost: 100, now: steadyClock.now() })
        leased = leases.flatMap((lease) => lease.requests)
      },
      () => frontier.settle(leased.map((one) => settlementOf(one, 0))),
    ]
    for (const [i, work] of works.entries())
      sums[i] = (sums[i] ?? 0) + (await cpu(server, BATCH, work)) / rounds
  }
  return sums
}

const SEE = script(
  'see',
  `${readScript('shared/filter-seen')}for i = 7, #ARGV do isNew(ARGV[i]) end growSeen() return seenNow.seen`,
)

async function seenUrls(): Promise<void> {
  console.log('\nseen URLs             bytes each   against a set of hex SHA-1')
  const hex = await bytesOfHex(200_000)
  let most = 0
  for (const seen of SEEN_URLS) {
    const server = await startRedis()
    const connection = await connectRedis(parseRedisAddress(server.address))
    const before = await usedMemory(server)
    for (let i = 0; i < seen; i += 5_000)
      await connection.run(SEE, ['{bench}'], ['hosts', '', '0', '0', '0', '0', ...randomFingerprints(5_000)])
    const bytes = ((await usedMemory(server)) - before) / seen
    console.log(
      `  ${String(seen).padStart(10)}       ${bytes.toFixed(2).padStart(10)}   ${(bytes / hex).toFixed(2).padStart(10)}×`,
    )
    most = Math.max(most, bytes)
    connection.close()
    await server.stop()
  }
  tellTarget(`at most ${MAX_SEEN_BYTES} bytes each`, most <= MAX_SEEN_BYTES)
}

function tellTarget(target: string, isMet: boolean): void {
  console.log(`  target: ${target}: ${isMet ? 'met' : 'NOT MET'}`)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}

async function bytesOfHex(count: number): Promise<number> {
  const server = await startRedis()
  const connection = await connectRedis(parseRedisAddress(server.address))
  const before = await usedMemory(server)
  const add = script('add-hex', `return redis.call('SADD', KEYS[1], unpack(ARGV))`)
  for (let i = 0; i < count; i += 1_000) {
    const hashes = Array.from({ length: 1_000 }, (_, k) =>
      createHash('sha1')
        .update(`${i + k}`)
        .digest('hex'),
    )
    await connection.run(add, ['hex'], hashes)
  }
  const bytes = ((await usedMemory(server)) - before) / count
  connection.close()
  await server.stop()
  return bytes
}

function randomFingerprints(count: number): string[] {
  const bytes = randomBytes(count * 8)
  return Array.from({ length: count }, (_, i) => String(bytes.readBigInt64LE(i * 8)))
}

/** Microseconds of Redis's processor for each of so many. */
async function cpu(server: RedisServer, count: number, work: () => Promise<unknown>): Promise<number> {
  const before = await cpuSeconds(server)
  await work()
  return (((await cpuSeconds(server)) - before) * 1e6) / count
}

interface Done {
  readonly requests: number
  readonly ms: number
}

async function inProcess(server: RedisServer, phase: string, from: number, count: number): Promise<Done> {
  const child = fork(import.meta.filename, [server.address, phase, String(from), String(count)])
  const [done] = (await once(child, 'message')) as [Done]
  await once(child, 'exit')
  return done
}

async function work(address: string, phase: string, from: number, count: number): Promise<Done> {
  const connection = await connectRedis(parseRedisAddress(address))
  const frontier = new RedisFrontier(connection, steadyClock, CRAWL)
  await frontier.pending()
  const begun = performance.now()
  let done = 0
  if (phase === 'add') {
    for (; done < count; done += BATCH) await frontier.add(requests(from + done, BATCH, 1000))
  } else {
    const links = phase === 'links' ? LINKS : 0
    const wanted = phase === 'links' ? count / 5 : count
    while (done < wanted) {
      const leases = await frontier.lease({ requests: BATCH, perHost: 100, now: steadyClock.now() })
      const leased = leases.flatMap((lease) => lease.requests)
      if (leased.length === 0) break
      await frontier.settle(leased.map((one) => settlementOf(one, links)))
      done += leased.length
    }
  }
  const ms = performance.now() - begun
  await frontier.close()
  connection.close()
  return { requests: done, ms }
}

// The processes that `run` starts.
const [, , address = '', phase = '', from = '', count = ''] = process.argv
if (phase !== '' && address.startsWith('redis:'))
  process.send?.(await work(address, phase, Number(from), Number(count)))
