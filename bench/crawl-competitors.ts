import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installPackages } from '../testing/install-packages.ts'
import type { ProcessToMeasure } from './measure-process.ts'
import { noRest, orbweaverCrawl } from './orbweaver-process.ts'
import { hostName } from './web/synthetic-web.ts'

export interface Competitor extends ProcessToMeasure {
  readonly name: string
  readonly version: string
}

export interface CrawlPlan {
  readonly start: string
  readonly hosts: number
  readonly inFlight: number
  readonly perHost: number
}

export type CompetitorKey = keyof typeof COMPETITORS

/** In the order they run in. Crawlee and Scrapy are left out, with a line that says so, where they are not installed and cannot be. */
export const COMPETITORS = {
  ceiling,
  crawl: ownCrawl,
  spider: ownSpider,
  crawlee,
  scrapy,
} satisfies Record<string, (plan: CrawlPlan) => Competitor | undefined>

const VERSION = versionOf(join(import.meta.dirname, '../package.json'))

function ceiling(plan: CrawlPlan): Competitor {
  return { name: 'the ceiling', version: '', ...peer([process.execPath], 'ceiling.js', plan) }
}

function ownCrawl({ start, hosts, inFlight, perHost }: CrawlPlan): Competitor {
  const settings = {
    http: { allowPrivateHosts: hostNames(hosts) },
    politeness: noRest(inFlight, perHost),
  }
  return { name: 'orbweaver crawl', version: VERSION, ...orbweaverCrawl({ seeds: [start], settings }) }
}

function ownSpider(plan: CrawlPlan): Competitor {
  return {
    name: 'orbweaver spider, css()',
    version: VERSION,
    ...peer([process.execPath], 'orbweaver-spider.js', plan),
    environment: { BENCH_HOSTS: hostNames(plan.hosts).join(',') },
  }
}

function crawlee(plan: CrawlPlan): Competitor | undefined {
  const description = join(import.meta.dirname, 'node_modules/@crawlee/cheerio/package.json')
  if (!existsSync(description)) {
    console.log('Crawlee is left out: npm --prefix bench install did not bring it')
    return undefined
  }
  return {
    name: 'Crawlee CheerioCrawler',
    version: versionOf(description),
    ...peer([process.execPath], 'crawlee.js', plan),
  }
}

function scrapy(plan: CrawlPlan): Competitor | undefined {
  const version = scrapyVersion() ?? (installPackages('python3-scrapy') ? scrapyVersion() : undefined)
  if (version === undefined) {
    console.log('Scrapy is left out: install it (Debian: apt-get install python3-scrapy)')
    return undefined
  }
  return { name: 'Scrapy', version, ...peer([PYTHON], 'scrapy_spider.py', plan) }
}

/** A program of peers/: README.md there says what it is given and what it prints. */
function peer(
  runtime: readonly string[],
  file: string,
  { start, inFlight, perHost }: CrawlPlan,
): ProcessToMeasure {
  const program = join(import.meta.dirname, 'peers', file)
  return {
    command: [...runtime, program, start, String(inFlight), String(perHost)],
    pagesOf: (output) => (JSON.parse(output.trim().split('\n').at(-1) ?? '') as { pages: number }).pages,
  }
}

function hostNames(hosts: number): string[] {
  return Array.from({ length: hosts }, (_, n) => hostName(n))
}

/** Debian's own: another Python does not see Debian's packages. */
const PYTHON = '/usr/bin/python3'

function scrapyVersion(): string | undefined {
  try {
    return execFileSync(PYTHON, ['-c', 'import scrapy; print(scrapy.__version__)'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
