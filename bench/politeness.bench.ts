/** What the host queues cost with a thousand and with a million hosts: time per URL, and memory per host and item. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../src/base/clock.ts'
import { HostQueues } from '../src/domain/politeness/host-queues.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]
const ITEMS_A_HOST = 2
/** Measured pairs of calls for each figure; few hosts are filled again and again until there are as many. */
const CALLS = 2_000_000
const DELAY_MS = 60_000
const RUNS = 2

/**
 * In which order hosts come due. `in turn`: as they were first seen, which is how equal delays leave them.
 * `shuffled`: in no relation to where they lie in memory, as when every host had sent a Retry-After of its own.
 */
const ORDERS = ['in turn', 'shuffled'] as const

export function run(): void {
  memory(200_000) // first, while the heap holds nothing else
  for (const order of ORDERS) measure(order, 1_000) // warms up the compiler; thrown away
  for (const order of ORDERS) {
    console.log(`hosts come due ${order}`)
    console.log('     hosts   add ns   take+release ns   against 1,000 hosts')
    const figures = leastOfRuns(order)
    const smallest = figures[0]?.takeReleaseNs ?? Number.NaN
    for (const { hosts, addNs, takeReleaseNs } of figures) {
      const cells = [hosts.toLocaleString('en').padStart(10), addNs.toFixed(0).padStart(8)]
      cells.push(
        takeReleaseNs.toFixed(0).padStart(17),
        `${(takeReleaseNs / smallest).toFixed(2)} times`.padStart(21),
      )
      console.log(cells.join(' '))
    }
    console.log('')
  }
}

interface Figures {
  readonly hosts: number
  readonly addNs: number
  readonly takeReleaseNs: number
}

/** The least of RUNS for each size. The sizes take turns, so that a busy spell of the machine meets all of them. */
function leastOfRuns(order: (typeof ORDERS)[number]): Figures[] {
  const runs = Array.from({ length: RUNS }, () => SIZES.map((hosts) => measure(order, hosts)))
  return SIZES.map((hosts, i) => ({
    hosts,
    addNs: Math.min(...runs.map((run) => run[i]?.addNs ?? Number.NaN)),
    takeReleaseNs: Math.min(...runs.map((run) => run[i]?.takeReleaseNs ?? Number.NaN)),
  }))
}

/** Every host has items and waits for its delay; hosts become due one after the other, and are requested at once. */
function measure(order: (typeof ORDERS)[number], hosts: number): Figures {
  const keys = Array.from({ length: hosts }, (_, i) => `host-${i}.example`)
  const random = seededRandom(hosts)
  const perRound = hosts * ITEMS_A_HOST
  const rounds = CALLS / perRound
  const clock = new HandClock()
  const queues = new HostQueues<number>(clock, { delayMs: DELAY_MS, maxItems: perRound })
  const adding = new Stopwatch()
  const taking = new Stopwatch()
  for (let round = 0; round < rounds; round++) {
    for (const [i, key] of keys.entries()) {
      const part = order === 'in turn' ? i / hosts : random()
      queues.delayUntil(key, clock.time + DELAY_MS * (1 + part))
    }
    adding.start()
    for (let i = 0; i < ITEMS_A_HOST; i++) for (const key of keys) queues.add(key, i)
    adding.stop()
    taking.start()
    for (let left = perRound; left > 0; ) {
      const next = queues.take()
      if (next.kind === 'taken') {
        queues.release(next, SUCCESS)
        left--
      } else clock.time = next.until ?? Number.NaN
    }
    taking.stop()
    clock.time += DELAY_MS
  }
  return { hosts, addNs: adding.ns / CALLS, takeReleaseNs: taking.ns / CALLS }
}

function memory(hosts: number): void {
  const clock = new HandClock()
  const queues = new HostQueues<number>(clock, { maxItems: hosts * 10 })
  const keys = Array.from({ length: hosts }, (_, i) => `host-${i}.example`)
  const before = bytesInUse()
  for (const key of keys) queues.delayUntil(key, clock.time + DELAY_MS)
  const withHosts = bytesInUse()
  for (let i = 0; i < 4; i++) for (const key of keys) queues.add(key, i, i / 3)
  const withItems = bytesInUse()
  console.log(
    `bytes per idle host:    ${Math.round((withHosts - before) / hosts)} (its key string not counted)`,
  )
  console.log(
    `bytes per queued item:  ${Math.round((withItems - withHosts) / hosts / 4)} (the item itself not counted)`,
  )
  console.log(`held: ${queues.counts().queued.toLocaleString('en')} items\n`)
}

const SUCCESS = { kind: 'success', responseMs: 120 } as const

class HandClock implements Clock {
  time = 1_800_000_000_000
  now(): number {
    return this.time
  }
  after(): () => void {
    throw new Error('host queues set no timers')
  }
}

/**
 * Time this process was at work, so that a busy machine counts less. Not `threadCpuUsage`: that moves on in steps of
 * milliseconds, longer than a round with few hosts.
 */
class Stopwatch {
  ns = 0
  #start = process.cpuUsage()
  start(): void {
    this.#start = process.cpuUsage()
  }
  stop(): void {
    const { user, system } = process.cpuUsage(this.#start)
    this.ns += (user + system) * 1_000
  }
}

/** The same numbers in every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function bytesInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
