import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProcessToMeasure } from './measure-process.ts'
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

const ROOT = join(import.meta.dirname, '..')

/** Who takes part. Crawlee and Scrapy only where they are installed or can be; `CRAWL_ONLY` names those that are wanted. */
export async function competitors(plan: CrawlPlan): Promise<Competitor[]> {
  const wanted = process.env['CRAWL_ONLY']?.split(',')
  const all: [key: string, make: (plan: CrawlPlan) => Competitor | undefined][] = [
    ['ceiling', ceiling],
    ['crawl', orbweaverCrawl],
    ['spider', orbweaverSpider],
    ['crawlee', crawlee],
    ['scrapy', scrapy],
  ]
  return all.flatMap(([key, make]) => {
    if (wanted !== undefined && !wanted.includes(key)) return []
    return make(plan) ?? []
  })
}

function peer(file: string, { start, inFlight, perHost }: CrawlPlan): string[] {
  return [
    process.execPath,
    join(import.meta.dirname, 'peers', file),
    start,
    String(inFlight),
    String(perHost),
  ]
}

const printedPages = (output: string) =>
  (JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { pages: number }).pages

function ceiling(plan: CrawlPlan): Competitor {
  return { name: 'the ceiling', version: '', command: peer('ceiling.js', plan), pagesOf: printedPages }
}

function orbweaverCrawl({ start, hosts, inFlight, perHost }: CrawlPlan): Competitor {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-crawl-'))
  const settings = {
    agent: { email: 'bench@example.org' },
    http: { allowPrivateHosts: Array.from({ length: hosts }, (_, n) => hostName(n)) },
    politeness: { delaySeconds: 0, minDelaySeconds: 0, threads: inFlight, threadsPerHost: perHost },
  }
  writeFileSync(join(folder, 'orbweaver.config.mjs'), `export default ${JSON.stringify(settings)}\n`)
  const command = `rm -rf crawl && exec ${process.execPath} ${join(ROOT, 'bin/orbweaver.js')} crawl crawl ${start} --scope any --json`
  return {
    name: 'orbweaver crawl',
    version: versionOf(join(ROOT, 'package.json')),
    command: ['bash', '-c', command],
    folder,
    pagesOf: (output) =>
      (JSON.parse(output) as { statuses: { fetch_success: number } }).statuses.fetch_success,
  }
}

function orbweaverSpider(plan: CrawlPlan): Competitor {
  const hosts = Array.from({ length: plan.hosts }, (_, n) => hostName(n)).join(',')
  return {
    name: 'orbweaver spider, css()',
    version: versionOf(join(ROOT, 'package.json')),
    command: peer('orbweaver-spider.js', plan),
    environment: { BENCH_HOSTS: hosts },
    pagesOf: printedPages,
  }
}

function crawlee(plan: CrawlPlan): Competitor | undefined {
  const description = join(import.meta.dirname, 'node_modules/crawlee/package.json')
  if (!existsSync(description)) {
    console.log('Crawlee is left out: npm --prefix bench install did not bring it')
    return undefined
  }
  return {
    name: 'Crawlee CheerioCrawler',
    version: versionOf(description),
    command: peer('crawlee.js', plan),
    pagesOf: printedPages,
  }
}

function scrapy(plan: CrawlPlan): Competitor | undefined {
  const version = scrapyVersion() ?? (installScrapy() ? scrapyVersion() : undefined)
  if (version === undefined) {
    console.log('Scrapy is left out: install it (Debian: apt-get install python3-scrapy)')
    return undefined
  }
  const [, , ...rest] = peer('', plan)
  return {
    name: 'Scrapy',
    version,
    command: [PYTHON, join(import.meta.dirname, 'peers/scrapy_spider.py'), ...rest],
    pagesOf: printedPages,
  }
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

function installScrapy(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' })
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'python3-scrapy'], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
    return true
  } catch {
    return false
  }
}

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
