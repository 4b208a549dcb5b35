/**
 * One table of all aims for speed and memory, with the measured value and whether it is met. It runs the other benchmarks with small sizes, which takes about ten minutes
 * on an idle machine. Peers that are not installed are left out: `npm run bench -- peers` installs them. `TARGETS_ONLY=start,inject` chooses parts.
 */
import { measureChain } from './chain.bench.ts'
import { chosenNames } from './chosen-names.ts'
import type { CompetitorKey } from './crawl-competitors.ts'
import { BEHIND_REDIRECTS, crawlWeb, SMALL_WEB } from './growth.bench.ts'
import { measureHandlers } from './handlers.bench.ts'
import { measureIndex } from './index.bench.ts'
import { measureInject } from './inject.bench.ts'
import { IS_INSTALLED } from './install-peers.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import type { CrawlFigures } from './measure-rounds.ts'
import { measureMemory } from './memory.bench.ts'
import { isComplete, measureSites, type SiteFigures } from './peers.bench.ts'
import { measureStarts, ownPrograms } from './start.bench.ts'

interface Target {
  readonly name: string
  readonly limit: number
  /** Whether a larger value is better, as for a rate. */
  readonly atLeast: boolean
  readonly unit: string
  readonly measured: number
}

const PARTS: Readonly<Record<string, () => Promise<Target[]>>> = {
  start: startTargets,
  sites: siteTargets,
  growth: growthTargets,
  chain: chainTargets,
  handlers: handlerTargets,
  index: indexTargets,
  inject: injectTargets,
  memory: memoryTargets,
}

export async function run(): Promise<void> {
  const facts = machineFacts()
  const targets: Target[] = []
  const failed: string[] = []
  for (const name of chosenNames('TARGETS_ONLY', Object.keys(PARTS))) {
    console.log(`\n### ${name}\n`)
    try {
      targets.push(...((await PARTS[name]?.()) ?? []))
    } catch (error) {
      failed.push(`${name}: ${error}`)
      process.exitCode = 1
    }
  }
  console.log(`\n${machineText(facts)}\n`)
  console.log('| aim | limit | measured | |\n| --- | --- | --- | --- |')
  for (const target of targets) console.log(row(target))
  console.log(`\n${targets.filter(isMet).length} of ${targets.length} aims met`)
  for (const line of failed) console.log(`not measured: ${line}`)
}

function isMet({ limit, atLeast, measured }: Target): boolean {
  return atLeast ? measured >= limit : measured <= limit
}

function row(target: Target): string {
  const { name, limit, atLeast, unit, measured } = target
  const cells = [
    name,
    `${atLeast ? '≥' : '≤'} ${text(limit)} ${unit}`,
    text(measured),
    isMet(target) ? 'met' : 'MISSED',
  ]
  return `| ${cells.join(' | ')} |`
}

function text(figure: number): string {
  return figure.toLocaleString('en', { maximumSignificantDigits: figure >= 100 ? 4 : 3 })
}

function atMost(name: string, limit: number, unit: string, measured: number): Target {
  return { name, limit, atLeast: false, unit, measured }
}

function atLeast(name: string, limit: number, unit: string, measured: number): Target {
  return { name, limit, atLeast: true, unit, measured }
}

async function startTargets(): Promise<Target[]> {
  const starts = await measureStarts(ownPrograms)
  const help = starts.get('orbweaver crawl --help')
  const crawl = starts.get('orbweaver crawl, one page')
  if (help === undefined || crawl === undefined) throw new Error('a program was not measured')
  return [
    atMost('`crawl --help`', 0.12, 's', help.seconds),
    atMost('crawl of one page, CPU time', 0.5, 's', crawl.cpuSeconds),
    atMost('crawl of one page', 0.5, 's', crawl.seconds),
    atMost('first request after', 0.3, 's', crawl.firstRequestSeconds),
  ]
}

/** Enough for a steady rate of Crawlee and Scrapy. */
const SLOW_PAGES = 300
/** A small site, one with many links per page, and one of more than 10,000 pages: the programs, and the aims. */
const SITES: Readonly<Record<string, SiteToCompare>> = {
  sqlite3: { keys: ['colly', 'spider-rs'], aims: { bareLoop: 0.4, colly: 1, spider: 0.5 } },
  pandas: {
    keys: ['colly', 'spider-rs', 'crawlee', 'scrapy'],
    aims: { bareLoop: 0.5, colly: 1, spider: 0.5, crawlee: 12, scrapy: 25, megabytes: 250 },
  },
  'openjdk-17': {
    // Its home page is a meta refresh, which the other programs do not follow.
    seed: '/api/index.html',
    keys: ['colly', 'spider-rs'],
    aims: { bareLoop: 0.5, colly: 1, spider: 1, megabytes: 400 },
  },
}

interface SiteToCompare {
  /** @default the seed of the site */
  readonly seed?: string
  readonly keys: readonly CompetitorKey[]
  readonly aims: SiteAims
}

/** Ratios of `orbweaver crawl` to others by CPU time, and its peak memory. */
interface SiteAims {
  readonly bareLoop: number
  readonly colly: number
  readonly spider: number
  readonly crawlee?: number
  readonly scrapy?: number
  readonly megabytes?: number
}

async function siteTargets(): Promise<Target[]> {
  const sites = installedSites('TARGETS_SITES', Object.keys(SITES)).map((site) => {
    const { seed = site.seed, keys = [] } = SITES[site.name] ?? {}
    return {
      site: { ...site, ...(seed !== undefined && { seed }) },
      keys: ['htmlparser2', 'crawl', ...keys.filter(isInstalled)] as const,
    }
  })
  const measured = await measureSites(sites, { rounds: 2, slowPages: SLOW_PAGES })
  return measured.flatMap((figures) => targetsOf(figures, SITES[figures.site]?.aims))
}

function isInstalled(key: CompetitorKey): boolean {
  const installed = (IS_INSTALLED as Readonly<Record<string, () => boolean>>)[key]?.() ?? true
  if (!installed) console.log(`skipped ${key}: not installed; npm run bench -- peers installs it`)
  return installed
}

const PEERS = {
  bareLoop: 'bare loop, htmlparser2',
  colly: 'Colly (Go)',
  spider: 'spider (Rust)',
  crawlee: 'Crawlee CheerioCrawler',
  scrapy: 'Scrapy',
} as const

function targetsOf({ site, listed, figures }: SiteFigures, aims: SiteAims | undefined): Target[] {
  const figuresOf = (name: string) => figures.find((one) => one.name === name)
  const own = figuresOf('orbweaver crawl')
  if (own === undefined || aims === undefined) return []
  const ratios = (Object.keys(PEERS) as Array<keyof typeof PEERS>).flatMap((key) => {
    const [peer, aim] = [figuresOf(PEERS[key]), aims[key]]
    if (peer === undefined || aim === undefined || !isWhole(site, listed, peer)) return []
    const ratio = own.pagesPerCpuSecond / peer.pagesPerCpuSecond
    return [atLeast(`${site}, ${listed} pages: compared with ${PEERS[key]}, by CPU time`, aim, '×', ratio)]
  })
  const { megabytes } = aims
  if (megabytes === undefined) return ratios
  return [...ratios, atMost(`${site}, ${listed} pages: peak memory`, megabytes, 'MB', own.peakMegabytes)]
}

/** A program that found only a part of a site cannot be compared. */
function isWhole(site: string, listed: number, program: CrawlFigures): boolean {
  const isWhole = isComplete(listed, program)
  if (!isWhole)
    console.log(
      `${site}: not compared with ${program.name}, which found ${program.found[0]} of ${listed} pages`,
    )
  return isWhole
}

async function growthTargets(): Promise<Target[]> {
  const crawls = [
    ['10,000 hosts', await crawlWeb({ hosts: 10_000, pagesPerHost: 2 })],
    ['1 million URLs known', await crawlWeb(SMALL_WEB, 1e6)],
    ['the same after redirects', await crawlWeb(BEHIND_REDIRECTS, 1e6, '/moved/page-0.html')],
  ] as const
  return crawls.map(([name, { eventLoopP99Ms }]) =>
    atMost(`event loop delay p99, ${name}`, 50, 'ms', eventLoopP99Ms),
  )
}

async function chainTargets(): Promise<Target[]> {
  const { bareLoop, spider } = await measureChain()
  return [atLeast('chain of requests, compared with a bare loop', 0.8, '×', spider / bareLoop)]
}

async function handlerTargets(): Promise<Target[]> {
  const { light, extracting } = await measureHandlers()
  const name = '`run --handler-threads 2`, compared with one core'
  return [
    atLeast(`${name}: title and links`, 1.6, '×', light),
    atLeast(`${name}: main content and more`, 1.6, '×', extracting),
  ]
}

async function indexTargets(): Promise<Target[]> {
  const { pagesPerSecond } = await measureIndex()
  return [atLeast('`index`', 2_000, 'pages/s', pagesPerSecond)]
}

async function injectTargets(): Promise<Target[]> {
  const million = await measureInject(1e6)
  const tenMillion = await measureInject(1e7)
  return [
    atMost('inject of 1 million URLs, CPU time', 4, 's', million.cpuSeconds),
    atMost('inject of 10 million URLs', 30, 's', tenMillion.seconds),
  ]
}

async function memoryTargets(): Promise<Target[]> {
  return [atMost('100,000 pages of 10,000 hosts: peak memory', 400, 'MB', await measureMemory())]
}
