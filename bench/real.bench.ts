/**
 * Crawls real documentation sites and compares the crawl with a plain breadth-first list of each site. `REAL_SITES=sqlite3,boost`
 * chooses sites by name. Exits with 3 if a page was lost without a recorded reason.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Comparison } from '../testing/real-web/compare-crawl.ts'
import { compareSite } from '../testing/real-web/compare-site.ts'
import { type CrawlFacts, crawlFacts } from '../testing/real-web/crawl-facts.ts'
import { serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { type Measured, measureProcess } from './measure-process.ts'
import { noRest, orbweaverCrawl } from './orbweaver-process.ts'
import { removeFolder } from './remove-folder.ts'
import { undoAtExit } from './undo-at-exit.ts'

/** Requests in flight to one site. */
const IN_FLIGHT = 16

interface SiteReport {
  readonly name: string
  readonly measured: Measured
  readonly comparison: Comparison
  readonly facts: CrawlFacts
}

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const sites = installedSites('REAL_SITES')
  buildDist()
  const served = await serveRealSites(sites)
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-real-'))
  const undone = undoAtExit(() => removeFolder(folder))
  const reports: SiteReport[] = []
  try {
    console.log(HEAD)
    for (const [i, { name }] of sites.entries()) {
      const seed = served.seeds[i] ?? ''
      const directory = join(folder, name)
      const measured = await measureProcess(crawlOf([seed], directory))
      const report = {
        name,
        measured,
        comparison: await compareSite(seed, directory),
        facts: await crawlFacts(directory),
      }
      reports.push(report)
      console.log(row(report))
      removeFolder(directory)
    }
    console.log(totals(reports))
    const together = await measureProcess(crawlOf(served.seeds, join(folder, 'all')))
    console.log(
      `\nAll sites in one crawl: ${together.pages} pages, ${perCpuSecond(together)} pages per CPU-second, peak ${together.peakMegabytes.toFixed(0)} MB`,
    )
  } finally {
    undone()
    removeFolder(folder)
    await served.close()
  }
  for (const report of reports) console.log(details(report))
  const lost = reports.flatMap(({ comparison }) => comparison.notFetched.filter(({ recorded }) => !recorded))
  if (lost.length > 0) {
    console.log('Pages were lost without a recorded reason.')
    process.exitCode = 3
  }
}

function crawlOf(seeds: readonly string[], directory: string) {
  return orbweaverCrawl({
    seeds,
    directory,
    scope: 'host',
    settings: { politeness: noRest(2 * IN_FLIGHT, IN_FLIGHT) },
  })
}

const HEAD = `
| site | pages listed | fetched | lost | not fetched, reason recorded | not listed | pages per CPU-second | CPU-ms per page | peak MB | charset faults |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |`

function row({ name, measured, comparison, facts }: SiteReport): string {
  const cells = [
    name,
    comparison.listed,
    comparison.fetched,
    countOf(comparison, false),
    countOf(comparison, true),
    comparison.notListed.length,
    perCpuSecond(measured),
    ((measured.cpuSeconds / measured.pages) * 1_000).toFixed(2),
    measured.peakMegabytes.toFixed(0),
    facts.charsetFaults.length,
  ]
  return `| ${cells.join(' | ')} |`
}

function totals(reports: readonly SiteReport[]): string {
  const sum = (of: (report: SiteReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  const pages = sum(({ measured }) => measured.pages)
  const cpuSeconds = sum(({ measured }) => measured.cpuSeconds)
  const peak = Math.max(0, ...reports.map(({ measured }) => measured.peakMegabytes))
  const cells = [
    `${reports.length} sites`,
    sum(({ comparison }) => comparison.listed),
    sum(({ comparison }) => comparison.fetched),
    sum(({ comparison }) => countOf(comparison, false)),
    sum(({ comparison }) => countOf(comparison, true)),
    sum(({ comparison }) => comparison.notListed.length),
    (pages / cpuSeconds).toFixed(0),
    ((cpuSeconds / pages) * 1_000).toFixed(2),
    `${peak.toFixed(0)} at most`,
    sum(({ facts }) => facts.charsetFaults.length),
  ]
  return `| ${cells.join(' | ')} |`
}

function countOf({ notFetched }: Comparison, recorded: boolean): number {
  return notFetched.reduce(
    (sum, difference) => sum + (difference.recorded === recorded ? difference.count : 0),
    0,
  )
}

function perCpuSecond({ pages, cpuSeconds }: Measured): string {
  return (pages / cpuSeconds).toFixed(0)
}

function details({ name, comparison, facts }: SiteReport): string {
  const lines = [
    ...comparison.notFetched.map(
      ({ reason, recorded, count, urls }) =>
        `- ${recorded ? '' : 'LOST: '}${count} not fetched: ${reason}\n  ${urls.slice(0, recorded ? 1 : 5).join('\n  ')}`,
    ),
    ...(comparison.notListed.length > 0
      ? [
          `- ${comparison.notListed.length} fetched and not listed\n  ${comparison.notListed.slice(0, 3).join('\n  ')}`,
        ]
      : []),
    ...facts.unparsed.map(({ reason, count, url }) => `- ${count} not parsed: ${reason}\n  ${url}`),
    ...facts.charsetFaults
      .slice(0, 5)
      .map(
        ({ url, charset, characters }) => `- charset fault: ${characters} characters, ${charset}\n  ${url}`,
      ),
    ...facts.largest.map(({ url, bytes }) => `- large page: ${(bytes / 1_000).toFixed(0)} kB ${url}`),
  ]
  return `\n### ${name}\n\n${lines.join('\n')}`
}
