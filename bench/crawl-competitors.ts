import { join } from 'node:path'
import { chosenNames } from './chosen-names.ts'
import {
  buildColly,
  buildSpiderRs,
  type InstalledPeer,
  installCrawlee,
  installScrapy,
} from './install-peers.ts'
import type { ProcessToMeasure } from './measure-process.ts'
import { noRest, type OrbweaverCrawl, orbweaverCrawl, orbweaverRun } from './orbweaver-process.ts'
import { versionOf } from './version-of.ts'

export interface Competitor extends ProcessToMeasure {
  readonly name: string
  readonly version: string
  /** It stops at about this number of pages, and runs in the first round only. @default none */
  readonly maxPages?: number
}

export interface CrawlPlan {
  readonly start: string
  /** Which links are followed: all, or those to the host of the start URL. */
  readonly scope: 'any' | 'host'
  readonly inFlight: number
  readonly perHost: number
  /** Hosts on loopback addresses, other than that of the start URL. @default none */
  readonly privateHosts?: readonly string[]
  /** Maximum number of pages for those that take minutes: Crawlee and Scrapy. @default none */
  readonly maxPagesOfSlow?: number
}

export type CompetitorKey = keyof typeof COMPETITORS

/** In the order they run in. `undefined`: it cannot be installed here; a line says why. */
export const COMPETITORS = {
  ceiling: (plan: CrawlPlan) => bareLoop('regexp', 'regular expression', plan),
  htmlparser2: (plan: CrawlPlan) => bareLoop('htmlparser2', 'htmlparser2', plan),
  crawl: (plan: CrawlPlan) => own('orbweaver crawl', orbweaverCrawl(ownPlan(plan))),
  run: (plan: CrawlPlan) => ownRun(plan),
  isolated: (plan: CrawlPlan) => ownRun(plan, '--isolated'),
  threads: (plan: CrawlPlan) => ownRun(plan, '--handler-threads', '2'),
  crawlee: (plan: CrawlPlan) => slowPeer('Crawlee CheerioCrawler', installCrawlee(), plan),
  scrapy: async (plan: CrawlPlan) => slowPeer('Scrapy', await installScrapy(), plan),
  colly: (plan: CrawlPlan) => peer('Colly (Go)', buildColly(), plan),
  'spider-rs': (plan: CrawlPlan) => peer('spider (Rust)', buildSpiderRs(), plan),
} satisfies Record<string, (plan: CrawlPlan) => Competitor | undefined | Promise<Competitor | undefined>>

/**
 * The competitors that an environment variable chooses by key.
 * @param known those that can run the plan
 * @param usual those that run when the variable is not set. @default all
 */
export async function chosenCompetitors(
  variable: string,
  known: readonly CompetitorKey[],
  plan: CrawlPlan,
  usual: readonly CompetitorKey[] = known,
): Promise<Competitor[]> {
  return competitorsOf(chosenNames(variable, known, usual), plan)
}

/** Those of them that can be installed here. */
export async function competitorsOf(keys: readonly CompetitorKey[], plan: CrawlPlan): Promise<Competitor[]> {
  const made: Competitor[] = []
  for (const key of keys) {
    const competitor = await COMPETITORS[key](plan)
    if (competitor !== undefined) made.push(competitor)
  }
  return made
}

const PEERS = join(import.meta.dirname, 'peers')
const OWN_SPIDER = join(PEERS, 'orbweaver-spider.js')
const EXTRACTING_SPIDER = join(PEERS, 'extracting-spider.js')
const OWN_VERSION = versionOf(join(import.meta.dirname, '../package.json'))

function own(name: string, process: ProcessToMeasure): Competitor {
  return { name, version: OWN_VERSION, ...process }
}

function ownRun(plan: CrawlPlan, ...flags: string[]): Competitor {
  const name = ['orbweaver run', ...flags].join(' ')
  return own(name, orbweaverRun({ ...ownPlan(plan), file: OWN_SPIDER, flags }))
}

/** A spider whose handler takes most of the CPU time. */
export function extractingRun(plan: CrawlPlan, ...flags: string[]): Competitor {
  const name = ['orbweaver run (extracting)', ...flags].join(' ')
  return own(name, orbweaverRun({ ...ownPlan(plan), file: EXTRACTING_SPIDER, flags }))
}

function ownPlan({ start, scope, inFlight, perHost, privateHosts = [] }: CrawlPlan): OrbweaverCrawl {
  return {
    seeds: [start],
    scope,
    settings: { http: { allowPrivateHosts: [...privateHosts] }, politeness: noRest(inFlight, perHost) },
  }
}

function bareLoop(parser: string, name: string, plan: CrawlPlan): Competitor {
  const command = [process.execPath, join(PEERS, 'ceiling.js'), ...argumentsOf(plan), parser]
  return { name: `bare loop, ${name}`, version: '', command, pagesOf }
}

function peer(name: string, installed: InstalledPeer, plan: CrawlPlan): Competitor | undefined {
  if (installed.ok) {
    const { version, command } = installed
    return { name, version, command: [...command, ...argumentsOf(plan)], pagesOf }
  }
  console.log(`${name} is left out: ${installed.reason}`)
  return undefined
}

function slowPeer(name: string, installed: InstalledPeer, plan: CrawlPlan): Competitor | undefined {
  const { maxPagesOfSlow: maxPages } = plan
  const slow = peer(name, installed, plan)
  if (slow === undefined || maxPages === undefined) return slow
  return { ...slow, maxPages, command: [...slow.command, String(maxPages)] }
}

/** What a program of peers/ is given, and what it prints: README.md there. */
function argumentsOf({ start, inFlight, perHost, scope }: CrawlPlan): string[] {
  return [start, String(inFlight), String(perHost), scope]
}

function pagesOf(output: string): number {
  return (JSON.parse(output.trim().split('\n').at(-1) ?? '') as { pages: number }).pages
}
