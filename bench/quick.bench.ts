/**
 * Shows in less than a minute whether a change made the crawl faster or slower: pages per CPU-second of `orbweaver crawl` as a part of the ceiling's, on a small web, compared with the figure
 * that was committed (quick.json). No test: on a busy machine it moves by some percent. `QUICK_SAVE=1` makes this run's figure the one to compare with.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDist } from './build-dist.ts'
import { COMPETITORS, type Competitor, type CrawlPlan } from './crawl-competitors.ts'
import { type MachineFacts, machineFacts, machineText } from './machine-facts.ts'
import { measureProcess } from './measure-process.ts'
import { serveWeb } from './web/serve-web.ts'
import { hostName } from './web/synthetic-web.ts'

const SIZE = { hosts: 100, pagesPerHost: 20 }
const ROUNDS = 3
const FILE = join(import.meta.dirname, 'quick.json')
/** Less than this says nothing. */
const NOISE = 0.05

interface QuickFigure extends MachineFacts {
  /** Pages per CPU-second of `orbweaver crawl` over those of the ceiling. */
  readonly ratio: number
}

export async function run(): Promise<void> {
  const machine = machineFacts()
  console.log(machineText(machine))
  buildDist()
  const web = await serveWeb(SIZE)
  try {
    const plan: CrawlPlan = {
      start: web.start,
      scope: 'any',
      inFlight: 64,
      perHost: 8,
      privateHosts: Array.from({ length: SIZE.hosts }, (_, n) => hostName(n)),
    }
    const [ceiling, crawl] = [COMPETITORS.ceiling(plan), COMPETITORS.crawl(plan)]
    const best = { ceiling: 0, crawl: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      best.ceiling = Math.max(best.ceiling, await pagesPerCpuSecond(ceiling))
      best.crawl = Math.max(best.crawl, await pagesPerCpuSecond(crawl))
    }
    const ratio = best.crawl / best.ceiling
    console.log(
      `the ceiling ${best.ceiling.toFixed(0)}, orbweaver crawl ${best.crawl.toFixed(0)} pages per CPU-second: ${ratio.toFixed(3)} × the ceiling`,
    )
    compare(ratio)
    if (process.env['QUICK_SAVE'] === '1') save({ ...machine, ratio: Number(ratio.toFixed(3)) })
  } finally {
    await web.close()
  }
}

async function pagesPerCpuSecond(competitor: Competitor): Promise<number> {
  const { pages, cpuSeconds } = await measureProcess(competitor)
  const expected = SIZE.hosts * SIZE.pagesPerHost
  if (pages !== expected) throw new Error(`${competitor.name} found ${pages} of ${expected} pages`)
  return pages / cpuSeconds
}

function compare(ratio: number): void {
  const committed = JSON.parse(readFileSync(FILE, 'utf8')) as QuickFigure
  const change = ratio / committed.ratio - 1
  const verdict = Math.abs(change) < NOISE ? 'as before' : change > 0 ? 'BETTER' : 'WORSE'
  console.log(
    `committed on ${committed.date}: ${committed.ratio.toFixed(3)}; ${verdict} (${(change * 100).toFixed(0)} %)`,
  )
}

function save(figure: QuickFigure): void {
  writeFileSync(FILE, `${JSON.stringify(figure, undefined, 2)}\n`)
}
