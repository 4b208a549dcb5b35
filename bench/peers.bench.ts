/**
 * Whole crawls of real documentation sites by Orbweaver, by bare loops and by other crawlers, which are installed on demand: a small site, one with many links per page, and a large one.
 * Each program is a process of its own; they run one after the other. `PEERS_SITES=sqlite3,gtk4` chooses sites of testing/real-web, `PEERS_ONLY=crawl,scrapy` programs, and
 * `PEERS_ROUNDS` the number of rounds; the best of them counts.
 */
import { breadthFirstList } from '../testing/real-web/breadth-first-list.ts'
import { serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { chosenSize } from './chosen-sizes.ts'
import { COMPETITORS, type CompetitorKey, chosenCompetitors } from './crawl-competitors.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { type CrawlFigures, measureRounds } from './measure-rounds.ts'

const SITES = ['installation-guide', 'scipy', 'fp-docs']
const ROUNDS = chosenSize('PEERS_ROUNDS', 2)
/** All of them to the one host of the site. */
const IN_FLIGHT = 32
/** Part of the pages of a site by which a program may differ. */
const TOLERANCE = 0.01

interface SiteFigures {
  readonly site: string
  /** Pages of the site, by a program that shares no code with any competitor. */
  readonly listed: number
  readonly figures: readonly CrawlFigures[]
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const sites = installedSites('PEERS_SITES', SITES)
  buildDist()
  const served = await serveRealSites(sites)
  const measured: SiteFigures[] = []
  try {
    for (const [i, { name: site }] of sites.entries()) {
      const start = served.seeds[i] ?? ''
      const plan = { start, scope: 'host', inFlight: IN_FLIGHT, perHost: IN_FLIGHT } as const
      const competitors = await chosenCompetitors(
        'PEERS_ONLY',
        Object.keys(COMPETITORS) as CompetitorKey[],
        plan,
      )
      const listed = await countPages(start)
      console.log(`\n${site}: ${listed} pages`)
      measured.push({ site, listed, figures: await measureRounds(competitors, ROUNDS) })
    }
  } finally {
    await served.close()
  }
  console.log(HEAD)
  for (const site of measured) for (const figures of site.figures) console.log(row(site, figures))
}

async function countPages(start: string): Promise<number> {
  const list = await breadthFirstList(start)
  return [...list.values()].filter(({ httpStatus }) => httpStatus === 200).length
}

const HEAD = `
| site | program | pages | pages/s | pages per CPU-second | peak MB | ratio to the bare loop with htmlparser2, by CPU time | with a regular expression |
| --- | --- | --- | --- | --- | --- | --- | --- |`

function row({ site, listed, figures }: SiteFigures, program: CrawlFigures): string {
  const { name, version, found, pagesPerSecond, pagesPerCpuSecond, peakMegabytes } = program
  const differs = found.some((pages) => Math.abs(pages - listed) > listed * TOLERANCE)
  const ratioTo = (loop: string) => {
    const bare = figures.find((one) => one.name === loop)
    return bare === undefined ? '' : (pagesPerCpuSecond / bare.pagesPerCpuSecond).toFixed(2)
  }
  const cells = [
    site,
    `${name} ${version}`.trim(),
    differs ? `${Math.min(...found)} (DIFFERS: ${listed} listed)` : Math.min(...found),
    pagesPerSecond.toFixed(0),
    pagesPerCpuSecond.toFixed(0),
    peakMegabytes.toFixed(0),
    ratioTo('bare loop, htmlparser2'),
    ratioTo('bare loop, regular expression'),
  ]
  return `| ${cells.join(' | ')} |`
}
