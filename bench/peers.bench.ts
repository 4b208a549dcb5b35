/**
 * Whole crawls of real documentation sites by Orbweaver, by bare loops and by other crawlers, which are installed on demand: a small site, one with many links per page, and a large one.
 * Each program is a process of its own; they run one after the other. `PEERS_SITES=sqlite3,gtk4` chooses sites of testing/real-web, `PEERS_ONLY=crawl,scrapy` programs,
 * `PEERS_ROUNDS` the number of rounds, of which the best counts, and `PEERS_SLOW_PAGES` the maximum number of pages for Crawlee and Scrapy, which run once.
 */
import { breadthFirstList } from '../testing/real-web/breadth-first-list.ts'
import type { RealSite } from '../testing/real-web/real-sites.ts'
import { serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { chosenNames } from './chosen-names.ts'
import { chosenSize } from './chosen-sizes.ts'
import { COMPETITORS, type CompetitorKey, competitorsOf } from './crawl-competitors.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { type CrawlFigures, measureRounds } from './measure-rounds.ts'

const SITES = ['sqlite3', 'pandas', 'fp-docs']
const ALL = Object.keys(COMPETITORS) as CompetitorKey[]
/** Handlers in threads are compared with others by `spider` and `handlers`. */
const USUAL = ALL.filter((key) => key !== 'isolated' && key !== 'threads')
const ROUNDS = chosenSize('PEERS_ROUNDS', 2)
const SLOW_PAGES = chosenSize('PEERS_SLOW_PAGES', 1_000)
/** All of them to the one host of the site. */
const IN_FLIGHT = 32
/** Part of the pages of a site by which a program may differ. */
const TOLERANCE = 0.01

export interface SiteFigures {
  readonly site: string
  /** Pages of the site, by a program that shares no code with any competitor. */
  readonly listed: number
  readonly figures: readonly CrawlFigures[]
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const sites = installedSites('PEERS_SITES', SITES)
  const keys = chosenNames('PEERS_ONLY', ALL, USUAL)
  const measured = await measureSites(
    sites.map((site) => ({ site, keys })),
    { rounds: ROUNDS, slowPages: SLOW_PAGES },
  )
  console.log(HEAD)
  for (const site of measured) for (const figures of site.figures) console.log(row(site, figures))
  console.log(`\nran: ${programs(measured).join('; ')}`)
}

/** A site, and the programs that crawl it. */
export interface SiteToMeasure {
  readonly site: RealSite
  readonly keys: readonly CompetitorKey[]
}

export async function measureSites(
  sites: readonly SiteToMeasure[],
  { rounds, slowPages }: { readonly rounds: number; readonly slowPages: number },
): Promise<SiteFigures[]> {
  buildDist()
  const served = await serveRealSites(sites.map(({ site }) => site))
  const measured: SiteFigures[] = []
  try {
    for (const [i, { site, keys }] of sites.entries()) {
      const start = served.seeds[i] ?? ''
      const listed = await countPages(start)
      console.log(`\n${site.name}: ${listed} pages`)
      const plan = { start, scope: 'host', inFlight: IN_FLIGHT, perHost: IN_FLIGHT } as const
      const limit = listed > slowPages ? { maxPagesOfSlow: slowPages } : {}
      const competitors = await competitorsOf(keys, { ...plan, ...limit })
      measured.push({ site: site.name, listed, figures: await measureRounds(competitors, rounds) })
    }
  } finally {
    await served.close()
  }
  return measured
}

async function countPages(start: string): Promise<number> {
  const list = await breadthFirstList(start)
  return [...list.values()].filter(({ httpStatus }) => httpStatus === 200).length
}

function programs(measured: readonly SiteFigures[]): string[] {
  return [...new Set(measured.flatMap(({ figures }) => figures.map(titleOf)))]
}

const titleOf = ({ name, version }: CrawlFigures) => `${name} ${version}`.trim()

const HEAD = `
| site | program | pages | pages/s | pages per CPU-second | peak MB | ratio to the bare loop with htmlparser2, by CPU time | \`orbweaver crawl\` is faster, by CPU time |
| --- | --- | --- | --- | --- | --- | --- | --- |`

function row(site: SiteFigures, program: CrawlFigures): string {
  const { pagesPerSecond, pagesPerCpuSecond, peakMegabytes } = program
  const rateOf = (name: string) => site.figures.find((one) => one.name === name)?.pagesPerCpuSecond
  const [bare, own] = [rateOf('bare loop, htmlparser2'), rateOf('orbweaver crawl')]
  const cells = [
    site.site,
    titleOf(program),
    pagesCell(site, program),
    pagesPerSecond.toFixed(0),
    pagesPerCpuSecond.toFixed(0),
    peakMegabytes.toFixed(0),
    bare === undefined ? '' : (pagesPerCpuSecond / bare).toFixed(2),
    own === undefined ? '' : `${(own / pagesPerCpuSecond).toFixed(2)} ×`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** The number of pages, and whether it is what it must be. */
function pagesCell({ listed }: SiteFigures, program: CrawlFigures): string {
  const { found, maxPages } = program
  const fewest = Math.min(...found)
  if (maxPages !== undefined) return `${fewest} (stopped at ${maxPages})`
  return isComplete(listed, program) ? String(fewest) : `${fewest} (DIFFERS: ${listed} listed)`
}

/** Whether a program found the pages of a site, or stopped at its limit: the rate of another one says nothing. */
export function isComplete(listed: number, { found, maxPages }: CrawlFigures): boolean {
  return maxPages !== undefined || found.every((pages) => Math.abs(pages - listed) <= listed * TOLERANCE)
}
