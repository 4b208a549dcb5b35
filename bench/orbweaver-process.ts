import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OrbweaverConfig } from '../src/adapters/config/config-schema.ts'
import type { ProcessToMeasure } from './measure-process.ts'

/** The program as users start it; `buildDist` brings it up to date. */
export const ORBWEAVER = [process.execPath, join(import.meta.dirname, '../bin/orbweaver.js')]

export interface OrbweaverCrawl {
  readonly seeds: readonly string[]
  readonly settings?: OrbweaverConfig
  /** Crawl directory. @default `crawl` in the folder of the run, which is removed afterwards */
  readonly directory?: string
  /** @default 'any' */
  readonly scope?: 'any' | 'host'
}

/** `orbweaver crawl` until no URL is due. */
export function orbweaverCrawl(crawl: OrbweaverCrawl): ProcessToMeasure {
  const { seeds, settings, directory = 'crawl', scope = 'any' } = crawl
  return {
    command: [...ORBWEAVER, 'crawl', directory, 'seeds.txt', '--scope', scope, '--json'],
    prepare(folder) {
      writeFileSync(join(folder, 'seeds.txt'), `${seeds.join('\n')}\n`)
      writeConfig(folder, settings)
    },
    pagesOf: (output) => (JSON.parse(output) as { pages: number }).pages,
  }
}

export interface OrbweaverRun extends Omit<OrbweaverCrawl, 'directory'> {
  /** A spider that takes the arguments `start` and `scope`. */
  readonly file: string
  readonly flags?: readonly string[]
}

/** `orbweaver run` until no request is left, items in a JSONL file. */
export function orbweaverRun({
  seeds,
  settings,
  scope = 'any',
  file,
  flags = [],
}: OrbweaverRun): ProcessToMeasure {
  const spider = [file, '--arg', `start=${seeds.join(' ')}`, '--arg', `scope=${scope}`]
  return {
    command: [...ORBWEAVER, 'run', ...spider, '--out', 'items.jsonl', '--json', ...flags],
    prepare: (folder) => writeConfig(folder, settings),
    pagesOf: (output) => (JSON.parse(output) as { stats: { pages: number } }).stats.pages,
  }
}

function writeConfig(folder: string, settings: OrbweaverConfig | undefined): void {
  const config = { agent: { email: 'bench@example.org' }, ...settings }
  writeFileSync(join(folder, 'orbweaver.config.mjs'), `export default ${JSON.stringify(config)}\n`)
}

/** No delay, and several concurrent requests per host: politeness is active but never waits. */
export function noRest(inFlight: number, perHost: number): NonNullable<OrbweaverConfig['politeness']> {
  return { delaySeconds: 0, minDelaySeconds: 0, threads: inFlight, threadsPerHost: perHost }
}
