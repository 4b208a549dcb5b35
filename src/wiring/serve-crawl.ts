import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildRules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { loadSettings, type SettingsSource } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { findLiveCrawl } from '../adapters/crawl-directory/control/remote-live-crawl.ts'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { CrawlReads } from '../adapters/duckdb/crawl-reads.ts'
import { ParquetFetchFigures } from '../adapters/duckdb/segments/parquet-fetch-figures.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { SearchProcesses } from '../adapters/serve/search-processes.ts'
import type { ServedEntry } from '../adapters/serve/serve-ports.ts'
import { ServedCrawl, type ServedCrawlParts } from '../adapters/serve/served-crawl.ts'
import { indexFile } from '../adapters/sqlite-index/index-file.ts'
import { steadyClock, wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { programModule } from '../base/program-files.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { SegmentStore } from '../domain/segment/segment-store.ts'
import { explainUrl } from '../flows/cycle/explain-url.ts'
import { openCrawlSegments } from './crawl-segments.ts'
import { plannedSchedule } from './explain-step.ts'
import { rememberedLayer } from './remembered-layer.ts'

export interface ServedDirectoryOptions {
  /** Unique among the crawls of the server. */
  readonly id: string
  /** Path of the configuration file. */
  readonly config?: string
  /** Memory limit of the database, in megabytes. */
  readonly memory?: number
}

/** A crawl directory that the server shows. */
export interface OpenServedDirectory {
  readonly entry: StoredEntry
  readonly source: SettingsSource
  close(): Promise<void>
}

type StoredEntry = ServedEntry & Required<Pick<ServedEntry, 'crawl' | 'search'>>

/** Opens a crawl directory for the server; another process may be using it. @throws ConfigurationError, CrawlDirectoryMissing */
export async function openServedDirectory(
  dir: string,
  { id, config, memory: memoryFlag }: ServedDirectoryOptions,
): Promise<OpenServedDirectory> {
  requireCrawl(dir)
  const last = await rememberedLayer(dir)
  const source = {
    ...settingsSource({
      ...withoutUndefined({ named: config ?? last.configFile }),
      crawlDirectory: dir,
      currentDirectory: process.cwd(),
      env: process.env,
      flags: memoryFlag === undefined ? {} : { memoryMb: memoryFlag },
      loadsCode: false,
    }),
    ...withoutUndefined({ remembered: last.remembered }),
  }
  const settings = await loadSettings(source)
  const memory = withoutUndefined({ memoryMb: settings.memoryMb })
  const closers: Array<() => unknown> = []
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    // A person waits for the response: an error after a second is better than a page after a minute.
    const { folder, ...place } = await openCrawlSegments(dir, settings, 'read', { maxAttempts: 4 })
    closers.push(() => place.close())
    const segments = await ParquetSegments.open(dir, { ...memory, folder })
    closers.push(() => segments.close())
    const fetches = await ParquetFetchFigures.open(dir, segments, settings.memoryMb)
    closers.push(() => fetches.close())
    const snapshots = new CrawlReads(dir, { clock: wallClock, ...memory })
    closers.push(() => snapshots.close())
    const search = new SearchProcesses(steadyClock, { filename: SEARCH_WORKER, directory: dir })
    closers.push(() => search.close())
    const crawl = new ServedCrawl({
      ...{ directory: dir, clock: wallClock, snapshots, segments, fetches },
      explain: explainServed(settings, segments),
    })
    const entry = {
      ...{ id, name: dir, live: { find: () => findLiveCrawl(dir) }, crawl, search },
      hasIndex: () => existsSync(indexFile(dir)),
      changedAt: () => changeTime(dir),
    }
    return { entry, source, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** When a step last changed the crawl (ms since the epoch). */
export function changeTime(dir: string): number | undefined {
  const times = ['crawldb.duckdb', 'crawldb', 'segments'].map(
    (name) => statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  )
  const last = Math.round(times.reduce((latest, time) => Math.max(latest, time), 0))
  return last > 0 ? last : undefined
}

function requireCrawl(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new ConfigurationError('OPTION_INVALID', `${dir} is a file; give the directory of a crawl`)
  if (isCrawl(dir)) return
  throw new CrawlDirectoryMissing(`there is no crawl in ${dir}: create one with orbweaver crawl`)
}

/** Whether a directory has data of a crawl. */
export function isCrawl(dir: string): boolean {
  return ['crawldb.duckdb', 'engine.json', 'segments', 'index'].some((name) => existsSync(join(dir, name)))
}

const SEARCH_WORKER = fileURLToPath(programModule('wiring/search-worker'))

/** The report of `explain` for the API. */
function explainServed(
  settings: Settings,
  segments: Pick<SegmentStore, 'get' | 'linksTo' | 'dropping' | 'pages'>,
): ServedCrawlParts['explain'] {
  // Invalid rules are an error at start.
  buildRules(settings, { clock: wallClock })
  return async (input, snapshot) => {
    const seeds = (await snapshot?.db.seeds()) ?? []
    const rules = buildRules(settings, { clock: wallClock, seeds })
    const { normalize, filter } = rules
    const { db, links } = snapshot ?? NO_SNAPSHOT
    const schedule =
      snapshot === undefined ? rules.schedule : await plannedSchedule(rules.schedule, snapshot.db)
    const report = await explainUrl(
      { db, links, segments, normalize, filter, rules, schedule, clock: wallClock },
      input,
    )
    const { normalized, filter: verdict, ...rest } = report
    return {
      ...rest,
      ...(normalized.ok ? { url: normalized.url } : { problem: normalized.detail }),
      // The seeds define the scope: without them the verdict would be wrong.
      ...(verdict !== undefined && snapshot !== undefined && { filter: verdict }),
      seed: normalized.ok && seeds.includes(normalized.url),
    }
  }
}

const NO_SNAPSHOT = {
  db: {
    find: async () => undefined,
    hostWaits: async () => ({ urls: 0, hosts: 0, nextAt: undefined, first: [] }),
    novelty: async () => ({ patterns: [], parameters: [] }),
    nearPages: async () => [],
  },
  links: { inlinks: async () => [] },
}
