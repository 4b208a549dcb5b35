/**
 * What a crawl costs when it is large: `orbweaver crawl` over more and more hosts, and with a CrawlDb of more and more URLs; how long the event loop waits
 * meanwhile. `GROWTH_HOSTS=1000,10000,100000` and `GROWTH_MILLIONS=0.1,1,10` (URLs) choose the sizes. Only a run with the usual sizes rewrites
 * growth.json and growth.svg.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildDist } from './build-dist.ts'
import { chosenSizes } from './chosen-sizes.ts'
import { curveChart } from './curve-chart.ts'
import { figuresJson } from './figures-json.ts'
import { fillCrawlDb } from './fill-crawldb.ts'
import { type MachineFacts, machineFacts, machineText } from './machine-facts.ts'
import { type Measured, measureProcess } from './measure-process.ts'
import { noRest, orbweaverCrawl } from './orbweaver-process.ts'
import { serveWeb } from './web/serve-web.ts'
import { hostName } from './web/synthetic-web.ts'

const { GROWTH_HOSTS, GROWTH_MILLIONS } = process.env
const HOSTS = chosenSizes('GROWTH_HOSTS', '1000,10000,100000')
const MILLIONS = chosenSizes('GROWTH_MILLIONS', '0.1,1,10')
/** Of every host: with its robots.txt three requests for two pages, however many hosts there are. */
const PAGES_PER_HOST = 2
/** The web that is crawled with a large CrawlDb. */
export const SMALL_WEB = { hosts: 500, pagesPerHost: 10 }
/** The same with a redirect to each page: the CrawlDb is queried for each target. */
export const BEHIND_REDIRECTS = { hosts: 5_000, pagesPerHost: 1 }
const PAGE = { medianBytes: 10_000, troubles: false, shared: true }

interface GrowthFigures {
  readonly size: number
  readonly pages: number
  /** Both without what a crawl of one page takes. */
  readonly pagesPerSecond: number
  readonly pagesPerCpuSecond: number
  readonly peakMegabytes: number
  readonly eventLoopP99Ms: number
}

interface Results extends MachineFacts {
  readonly hosts: readonly GrowthFigures[]
  readonly urls: readonly GrowthFigures[]
  readonly redirects: readonly GrowthFigures[]
}

export async function run(): Promise<void> {
  const machine = machineFacts()
  console.log(machineText(machine))
  buildDist()
  const alone = await crawlWeb({ hosts: 1, pagesPerHost: 1 })
  console.log(`CPU-seconds of a crawl of one page: ${alone.cpuSeconds.toFixed(1)}`)

  tableHead('hosts')
  const hosts: GrowthFigures[] = []
  for (const size of HOSTS)
    hosts.push(shown(size, alone, await crawlWeb({ hosts: size, pagesPerHost: PAGES_PER_HOST })))

  tableHead('URLs in the CrawlDb')
  const urls: GrowthFigures[] = []
  for (const size of MILLIONS.map((millions) => millions * 1e6))
    urls.push(shown(size, alone, await crawlWeb(SMALL_WEB, size)))

  tableHead('URLs in the CrawlDb, all pages behind redirects')
  const redirects: GrowthFigures[] = []
  for (const size of MILLIONS.map((millions) => millions * 1e6))
    redirects.push(shown(size, alone, await crawlWeb(BEHIND_REDIRECTS, size, '/moved/page-0.html')))

  if (GROWTH_HOSTS === undefined && GROWTH_MILLIONS === undefined)
    save({ ...machine, hosts, urls, redirects })
}

interface MeasuredCrawl extends Measured {
  readonly eventLoopP99Ms: number
}

/**
 * @param known URLs that the CrawlDb knows before
 * @param start of each host
 */
export async function crawlWeb(
  size: { hosts: number; pagesPerHost: number },
  known = 0,
  start = '/page-0.html',
): Promise<MeasuredCrawl> {
  const web = await serveWeb({ ...size, ...PAGE })
  try {
    const crawl = orbweaverCrawl({
      seeds: Array.from({ length: size.hosts }, (_, n) => `http://${hostName(n)}:${web.port}${start}`),
      settings: { politeness: noRest(64, 8) },
    })
    let eventLoopP99Ms = 0
    const measured = await measureProcess({
      ...crawl,
      environment: { NODE_OPTIONS: `--import=${import.meta.resolve('./event-loop-delay.js')}` },
      async prepare(folder) {
        await crawl.prepare?.(folder)
        if (known > 0) await fillCrawlDb(join(folder, 'crawl'), known)
      },
      pagesOf(output) {
        const end = output.trimEnd().lastIndexOf('\n')
        eventLoopP99Ms = (JSON.parse(output.slice(end)) as { p99Ms: number }).p99Ms
        return crawl.pagesOf(output.slice(0, end))
      },
    })
    const expected = size.hosts * size.pagesPerHost
    if (measured.pages !== expected) throw new Error(`${measured.pages} of ${expected} pages were found`)
    return { ...measured, eventLoopP99Ms }
  } finally {
    await web.close()
  }
}

function tableHead(size: string): void {
  console.log(`\n| ${size} | pages | pages/s | pages per CPU-second | peak MB | event loop p99, ms |`)
  console.log('| --- | --- | --- | --- | --- | --- |')
}

function shown(size: number, alone: Measured, measured: MeasuredCrawl): GrowthFigures {
  const { pages, peakMegabytes, eventLoopP99Ms } = measured
  const pagesPerSecond = pages / (measured.seconds - alone.seconds)
  const pagesPerCpuSecond = pages / (measured.cpuSeconds - alone.cpuSeconds)
  const figures = [pages, pagesPerSecond, pagesPerCpuSecond, peakMegabytes, eventLoopP99Ms]
  console.log(
    `| ${[size, ...figures].map((figure) => Math.round(figure).toLocaleString('en')).join(' | ')} |`,
  )
  return { size, pages, pagesPerSecond, pagesPerCpuSecond, peakMegabytes, eventLoopP99Ms }
}

function save(results: Results): void {
  const curve = (of: string, figures: readonly GrowthFigures[]) => ({
    of,
    points: figures.map(({ size, pagesPerCpuSecond }) => ({ x: size, y: pagesPerCpuSecond })),
  })
  const curves = [curve('hosts', results.hosts), curve('URLs in the CrawlDb', results.urls)]
  writeFileSync(join(import.meta.dirname, 'growth.json'), figuresJson(results))
  writeFileSync(join(import.meta.dirname, 'growth.svg'), curveChart('pages per CPU-second', curves))
}
