/**
 * The cost of watching a crawl: CPU-seconds of a crawl of real sites with the dashboard open, metrics scraped every second and a JSON log,
 * compared with the same crawl without them. Runs alternate; the median of the ratios counts. `OBSERVE_SITES=sqlite3,gtk4` and
 * `OBSERVE_RUNS=3` choose sites and the number of pairs.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../testing/prometheus-server.ts'
import { serveRealSites } from '../testing/real-web/serve-real-sites.ts'
import { buildDist } from './build-dist.ts'
import { installedSites } from './installed-sites.ts'
import { machineFacts, machineText } from './machine-facts.ts'
import { type Measured, measureProcess, type ProcessToMeasure } from './measure-process.ts'
import { type Observed, observe } from './observing-clients.ts'
import { noRest, orbweaverCrawl } from './orbweaver-process.ts'

const SITES = ['openjdk-17', 'fp-docs', 'gtk4']
const RUNS = Number(process.env['OBSERVE_RUNS'] ?? 5)
const AIM = 1.03

export async function run(): Promise<void> {
  console.log(machineText(machineFacts()))
  const sites = installedSites('OBSERVE_SITES', SITES)
  buildDist()
  const served = await serveRealSites(sites)
  const ratios: number[] = []
  try {
    console.log('| pages | plain, CPU-s | watched, CPU-s | ratio | events | scrapes | log lines |')
    console.log('| --- | --- | --- | --- | --- | --- | --- |')
    for (let i = 0; i < RUNS; i++) {
      // Alternating, so that a machine that becomes slower favours neither.
      const before = i % 2 === 0 ? await plain(served.seeds) : undefined
      const watched = await watch(served.seeds)
      const unwatched = before ?? (await plain(served.seeds))
      if (watched.pages !== unwatched.pages)
        throw new Error(`${watched.pages} and ${unwatched.pages} pages: the crawls differ`)
      if (watched.events === 0 || watched.scrapes === 0 || watched.logLines === 0)
        throw new Error(`the crawl was not watched: ${JSON.stringify(watched)}`)
      const ratio = watched.cpuSeconds / unwatched.cpuSeconds
      ratios.push(ratio)
      const figures = [
        ...[watched.pages, unwatched.cpuSeconds.toFixed(2), watched.cpuSeconds.toFixed(2)],
        ...[ratio.toFixed(3), watched.events, watched.scrapes, watched.logLines],
      ]
      console.log(`| ${figures.join(' | ')} |`)
    }
  } finally {
    await served.close()
  }
  const ratio = median(ratios)
  console.log(`\nMedian ratio: ${ratio.toFixed(3)} (aim: at most ${AIM}: ${ratio <= AIM ? 'met' : 'missed'})`)
}

function crawl(seeds: readonly string[], flags: readonly string[]): ProcessToMeasure {
  const settings = { politeness: noRest(16 * seeds.length, 16) }
  const work = orbweaverCrawl({ seeds, settings, scope: 'host' })
  return { ...work, command: [...work.command, ...flags] }
}

function plain(seeds: readonly string[]): Promise<Measured> {
  return measureProcess(crawl(seeds, []))
}

async function watch(seeds: readonly string[]): Promise<Measured & Observed & { logLines: number }> {
  const [dashboard, metrics] = [await freePort(), await freePort()]
  const end = new AbortController()
  const clients = observe(`http://127.0.0.1:${dashboard}/`, `http://127.0.0.1:${metrics}/metrics`, end.signal)
  let logLines = 0
  let folder = ''
  const work = crawl(seeds, [
    ...['--serve', `${dashboard}`, '--metrics', `${metrics}`],
    ...['--log-format', 'json', '--log-file', 'log.jsonl'],
  ])
  try {
    const measured = await measureProcess({
      ...work,
      prepare(place) {
        folder = place
        return work.prepare?.(place)
      },
      pagesOf(output) {
        // The folder still exists here.
        const log = join(folder, 'log.jsonl')
        if (existsSync(log)) logLines = readFileSync(log, 'utf8').split('\n').length - 1
        return work.pagesOf(output)
      },
    })
    end.abort()
    return { ...measured, ...(await clients), logLines }
  } finally {
    end.abort()
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}
