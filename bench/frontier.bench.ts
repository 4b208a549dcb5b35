/**
 * What a spider's frontier costs, with so many requests waiting: in the crawl directory, and in memory. Hosts by Zipf's law; a record for each
 * request in the CrawlDb. Each row is a process of its own. `FRONTIER_MILLIONS=0.1,1,10 npm run bench -- frontier` chooses the sizes.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCrawlDirectory } from '../src/adapters/duckdb/open-crawl-directory.ts'
import { steadyClock } from '../src/base/clock.ts'
import { limitHeapGrowth } from '../src/cli/limit-heap-growth.ts'
import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'
import type { Frontier, LeasedRequest } from '../src/domain/frontier/frontier.ts'
import type { Settlement } from '../src/domain/frontier/settlement.ts'
import { createDefaultSchedule } from '../src/domain/schedule/default-schedule.ts'
import { createOpicScoring } from '../src/domain/scoring/opic-scoring.ts'
import { MemoryFrontier } from '../testing/memory-frontier.ts'
import { chosenSize, chosenSizes } from './chosen-sizes.ts'

const MILLIONS = chosenSizes('FRONTIER_MILLIONS', '0.1,1')
const MEMORY_MB = chosenSize('FRONTIER_MEMORY_MB', 128)
const BATCH = 10_000
const LINKS = 50
const ROUNDS = 5
/** What the frontier of a million may take. */
const LIMIT_MB = 300

export async function run(): Promise<void> {
  for (const millions of MILLIONS) {
    const embedded = await measured('embedded', millions * 1e6)
    const memory = await measured('memory', millions * 1e6)
    console.log(
      `${millions} million waiting         embedded             memory            embedded / memory`,
    )
    for (const [what, cost] of Object.entries(embedded.costs)) {
      const other = memory.costs[what] ?? cost
      const ratio = `${(cost.cpuMs / other.cpuMs).toFixed(1)}×`
      console.log(`  ${what.padEnd(24)}${shown(cost)}${shown(other)}${ratio.padStart(14)}`)
    }
    for (const when of ['waitingMb', 'mostMb'] as const) {
      const [ours, theirs] = [embedded[when], memory[when]].map((mb) =>
        `${mb.toFixed(0)} MB above idle`.padStart(20),
      )
      console.log(
        `  ${when.padEnd(24)}${ours} ${theirs}${`${(embedded[when] / LIMIT_MB).toFixed(2)} of the limit`.padStart(26)}`,
      )
    }
    console.log(`  ${embedded.diskMb.toFixed(0)} MB on disk\n`)
  }
}

interface Cost {
  readonly ms: number
  readonly cpuMs: number
}

interface Measured {
  readonly costs: Readonly<Record<string, Cost>>
  readonly waitingMb: number
  readonly mostMb: number
  readonly diskMb: number
}

async function measured(kind: string, requests: number): Promise<Measured> {
  const child = fork(import.meta.filename, [kind, String(requests)])
  const [result] = (await once(child, 'message')) as [Measured]
  await once(child, 'exit')
  return result
}

function shown({ ms, cpuMs }: Cost): string {
  return `${ms.toFixed(1).padStart(9)} ms${cpuMs.toFixed(1).padStart(8)} CPU`
}

async function measure(kind: string, total: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'orbweaver-frontier-'))
  const { frontier, close } = await openFrontier(kind, folder)
  const idleMb = residentMb()
  const costs: Record<string, Cost> = {}
  costs['add 10,000'] = await cost(total / BATCH, async (batch) => {
    await frontier.add(Array.from({ length: BATCH }, (_, i) => requestOf(batch * BATCH + i)))
  })
  const waitingMb = residentMb() - idleMb
  const leased: LeasedRequest[] = []
  costs['lease 20,000'] = await cost(1, async () => {
    const hosts = await frontier.lease({ requests: 20_000, perHost: 100, now: Date.now() })
    for (const { requests } of hosts) leased.push(...requests)
  })
  let page = total
  const settle = (count: number) =>
    frontier.settle(leased.splice(0, count).map((one) => settlementOf(one, total, page++)))
  costs['settle 1,000, 50,000 links'] = await cost(ROUNDS, () => settle(1_000))
  costs['settle 10, 500 links'] = await cost(ROUNDS, () => settle(10))
  costs['lease 1,000 more'] = await cost(ROUNDS, async () => {
    await frontier.lease({ requests: 1_000, perHost: 200, now: Date.now() })
  })
  costs['pending'] = await cost(ROUNDS, () => frontier.pending(Date.now()))
  const mostMb = process.resourceUsage().maxRSS / 1024 - idleMb
  await close()
  const diskMb = kind === 'embedded' ? (await stat(join(folder, 'crawldb.duckdb'))).size / 1e6 : 0
  await rm(folder, { recursive: true, force: true })
  return { costs, waitingMb, mostMb, diskMb }
}

function residentMb(): number {
  return process.memoryUsage.rss() / 1024 / 1024
}

async function cost(rounds: number, work: (round: number) => Promise<unknown>): Promise<Cost> {
  const before = process.cpuUsage()
  const start = performance.now()
  for (let round = 0; round < rounds; round++) await work(round)
  const { user, system } = process.cpuUsage(before)
  return { ms: (performance.now() - start) / rounds, cpuMs: (user + system) / 1000 / rounds }
}

async function openFrontier(
  kind: string,
  folder: string,
): Promise<{ readonly frontier: Frontier; close(): Promise<void> }> {
  if (kind === 'memory') {
    const frontier = new MemoryFrontier(steadyClock)
    return { frontier, close: () => frontier.close() }
  }
  const memoryMb = MEMORY_MB
  const directory = await openCrawlDirectory(folder, { command: 'bench', memoryMb, threads: 2 })
  const rules = { schedule: createDefaultSchedule(), scoring: createOpicScoring() }
  return { frontier: directory.frontier({ rules }), close: () => directory.close() }
}

/** The i-th page of a made-up web: the k-th of its hosts has a share of ~1/k. */
function urlOf(i: number): string {
  const random = (Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32
  const host = Math.floor(50_000 ** random)
  return `https://www.host${host}.example/some/path/of/page-${(i * 2654435761) % 4294967296}.html`
}

function requestOf(i: number, from?: string): CrawlRequest {
  return {
    url: urlOf(i),
    handler: 'parse',
    depth: 3,
    from: from ?? urlOf(Math.floor(i / 50)),
    priority: i % 3,
  }
}

/** Of its links, three in five lead to pages that are known, most of them to the popular ones. */
function settlementOf({ id, request: { url } }: LeasedRequest, total: number, n: number): Settlement {
  const requests = Array.from({ length: LINKS }, (_, k) => {
    const random = (Math.imul(n * LINKS + k + 1, 0x85ebca6b) >>> 0) / 2 ** 32
    return requestOf(k % 5 < 3 ? Math.floor(total ** random) : n * LINKS + k, url)
  })
  return {
    id,
    end: { kind: 'done' },
    fetch: { url, status: 'fetch_success', protocolStatus: 'SUCCESS', fetchedAt: Date.now() },
    requests,
    items: [{ title: `page ${n}`, price: n }],
    rejected: [],
  }
}

// The processes that `run` starts.
const [, , kind = '', requests = ''] = process.argv
if (kind === 'embedded' || kind === 'memory') {
  limitHeapGrowth()
  process.send?.(await measure(kind, Number(requests)))
}
