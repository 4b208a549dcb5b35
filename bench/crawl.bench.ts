/**
 * Whole crawls of one synthetic web, to the end, by `orbweaver crawl`, a spider of ours, Crawlee, Scrapy and a ceiling that only asks: one after the other, three times, each as a
 * process of its own. `CRAWL_HOSTS`, `CRAWL_PAGES` (of a host) and `CRAWL_ROUNDS` change the size; `CRAWL_ONLY=ceiling,crawl` leaves the others out.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crawlChart } from './crawl-chart.ts'
import { type Competitor, competitors } from './crawl-competitors.ts'
import { type Measured, measureProcess } from './measure-process.ts'
import { serveWeb } from './web/serve-web.ts'

const HOSTS = Number(process.env['CRAWL_HOSTS'] ?? 200)
const PAGES_PER_HOST = Number(process.env['CRAWL_PAGES'] ?? 25)
const ROUNDS = Number(process.env['CRAWL_ROUNDS'] ?? 3)
const IN_FLIGHT = 64
const PER_HOST = 8

export interface CrawlFigures {
  readonly name: string
  readonly version: string
  readonly pages: number
  /** Of the best round, each. */
  readonly pagesPerSecond: number
  readonly pagesPerCpuSecond: number
  readonly peakMegabytes: number
}

export async function run(): Promise<void> {
  const web = await serveWeb({ hosts: HOSTS, pagesPerHost: PAGES_PER_HOST })
  try {
    const list = await competitors({ start: web.start, hosts: HOSTS, inFlight: IN_FLIGHT, perHost: PER_HOST })
    const rounds = new Map<Competitor, Measured[]>(list.map((competitor) => [competitor, []]))
    for (let round = 1; round <= ROUNDS; round++) {
      for (const competitor of list) {
        const measured = await measureProcess(competitor)
        rounds.get(competitor)?.push(measured)
        console.log(
          `round ${round}: ${competitor.name}, ${measured.pages} pages, ${measured.seconds.toFixed(1)} s, ${measured.cpuSeconds.toFixed(1)} CPU-s`,
        )
      }
    }
    report([...rounds].map(([competitor, measured]) => figuresOf(competitor, measured)))
  } finally {
    await web.close()
  }
}

function figuresOf({ name, version }: Competitor, rounds: readonly Measured[]): CrawlFigures {
  return {
    name,
    version,
    pages: Math.min(...rounds.map(({ pages }) => pages)),
    pagesPerSecond: Math.max(...rounds.map(({ pages, seconds }) => pages / seconds)),
    pagesPerCpuSecond: Math.max(...rounds.map(({ pages, cpuSeconds }) => pages / cpuSeconds)),
    peakMegabytes: Math.max(...rounds.map(({ peakMegabytes }) => peakMegabytes)),
  }
}

function report(figures: readonly CrawlFigures[]): void {
  const found = new Set(figures.map(({ pages }) => pages))
  if (found.size > 1)
    console.log(`NOT THE SAME PAGES: ${figures.map(({ name, pages }) => `${name} ${pages}`).join(', ')}`)
  const ours = figures.find(({ name }) => name === 'orbweaver crawl')
  const ratio = (of: number | undefined, to: number) => (of === undefined ? '' : `${(of / to).toFixed(2)} ×`)
  console.log(
    `\n| | pages | pages/s | pages a CPU-second | peak MB | \`orbweaver crawl\` is, per CPU-second | per second |`,
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const each of figures)
    console.log(
      `| ${each.name} ${each.version} | ${each.pages} | ${each.pagesPerSecond.toFixed(0)} | ${each.pagesPerCpuSecond.toFixed(0)} | ${each.peakMegabytes.toFixed(0)} | ${ratio(ours?.pagesPerCpuSecond, each.pagesPerCpuSecond)} | ${ratio(ours?.pagesPerSecond, each.pagesPerSecond)} |`,
    )
  const facts = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    hosts: HOSTS,
    pagesPerHost: PAGES_PER_HOST,
    rounds: ROUNDS,
  }
  writeFileSync(
    join(import.meta.dirname, 'crawl.json'),
    `${JSON.stringify({ ...facts, figures }, undefined, 2)}\n`,
  )
  writeFileSync(join(import.meta.dirname, 'crawl.svg'), crawlChart(figures))
}
