/**
 * Whole crawls of one synthetic web, to the end, by `orbweaver crawl`, a spider of ours, Crawlee, Scrapy and a ceiling that only fetches: one after the other, three times, each as a
 * process of its own. `CRAWL_HOSTS`, `CRAWL_PAGES` (of a host) and `CRAWL_ROUNDS` change the size; `CRAWL_ONLY=ceiling,crawl` leaves the others out. Only a run with all of them
 * and no smaller web rewrites crawl.json and crawl.svg.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDist } from './build-dist.ts'
import { chosenSize } from './chosen-sizes.ts'
import { crawlChart } from './crawl-chart.ts'
import { chosenCompetitors } from './crawl-competitors.ts'
import { figuresJson } from './figures-json.ts'
import { type MachineFacts, machineFacts, machineText } from './machine-facts.ts'
import { type CrawlFigures, measureRounds } from './measure-rounds.ts'
import { serveWeb } from './web/serve-web.ts'
import { hostName } from './web/synthetic-web.ts'

const { CRAWL_ONLY } = process.env
const SIZE = { hosts: chosenSize('CRAWL_HOSTS', 200), pagesPerHost: chosenSize('CRAWL_PAGES', 50) }
const ROUNDS = chosenSize('CRAWL_ROUNDS', 3)
const IN_FLIGHT = 64
const PER_HOST = 8
/** Pages; in smaller crawls it counts more how fast a program starts. */
const WORTH_KEEPING = 10_000

type Results = MachineFacts &
  typeof SIZE & {
    readonly rounds: number
    readonly inFlight: number
    readonly perHost: number
    readonly figures: readonly CrawlFigures[]
  }

export async function run(): Promise<void> {
  const machine = machineFacts()
  console.log(machineText(machine))
  buildDist()
  const web = await serveWeb(SIZE)
  try {
    const competitors = await chosenCompetitors(
      'CRAWL_ONLY',
      ['ceiling', 'crawl', 'run', 'crawlee', 'scrapy'],
      {
        start: web.start,
        scope: 'any',
        inFlight: IN_FLIGHT,
        perHost: PER_HOST,
        privateHosts: Array.from({ length: SIZE.hosts }, (_, n) => hostName(n)),
      },
    )
    const figures = await measureRounds(competitors, ROUNDS)
    print(figures)
    checkPages(figures)
    if (figures.length === competitors.length)
      save({ ...machine, ...SIZE, rounds: ROUNDS, inFlight: IN_FLIGHT, perHost: PER_HOST, figures })
  } finally {
    await web.close()
  }
}

function print(figures: readonly CrawlFigures[]): void {
  const ours = figures.find(({ name }) => name === 'orbweaver crawl')
  const ratio = (of: number | undefined, to: number) => (of === undefined ? '' : `${(of / to).toFixed(2)} ×`)
  console.log(
    '\n| | pages | pages/s | pages per CPU-second | peak MB | `orbweaver crawl` is, by the clock | by CPU time |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const { name, version, found, pagesPerSecond, pagesPerCpuSecond, peakMegabytes } of figures) {
    const rates = [pagesPerSecond, pagesPerCpuSecond, peakMegabytes].map((figure) => figure.toFixed(0))
    const ratios = [
      ratio(ours?.pagesPerSecond, pagesPerSecond),
      ratio(ours?.pagesPerCpuSecond, pagesPerCpuSecond),
    ]
    console.log(`| ${[`${name} ${version}`.trim(), Math.min(...found), ...rates, ...ratios].join(' | ')} |`)
  }
}

/** A crawler that finds fewer pages fails the run. */
function checkPages(figures: readonly CrawlFigures[]): void {
  const expected = SIZE.hosts * SIZE.pagesPerHost
  for (const { name, found } of figures) {
    if (found.every((pages) => pages === expected)) continue
    console.log(`NOT THE SAME PAGES: there are ${expected}, and ${name} found ${found.join(', ')}`)
    process.exitCode = 1
  }
}

function save(results: Results): void {
  if (SIZE.hosts * SIZE.pagesPerHost < WORTH_KEEPING || CRAWL_ONLY !== undefined) return
  writeFileSync(join(import.meta.dirname, 'crawl.json'), figuresJson(results))
  writeFileSync(join(import.meta.dirname, 'crawl.svg'), crawlChart(results.figures))
}
