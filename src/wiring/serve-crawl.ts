import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildRules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { loadSettings, type SettingsSource } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { CrawlDirectoryMissing } from '../adapters/crawl-directory/crawl-directory-error.ts'
import { CrawlSnapshots } from '../adapters/duckdb/crawl-snapshots.ts'
import { ParquetFetchFigures } from '../adapters/duckdb/segments/parquet-fetch-figures.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { type Listening, listen } from '../adapters/serve/listen.ts'
import { SearchProcesses } from '../adapters/serve/search-processes.ts'
import { createServeApp, readWebFiles } from '../adapters/serve/serve-app.ts'
import { ServedCrawl, type ServedCrawlParts } from '../adapters/serve/served-crawl.ts'
import { steadyClock, wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { SegmentStore } from '../domain/segment/segment-store.ts'
import { explainUrl } from '../flows/cycle/explain-url.ts'

export interface ServeOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Path of the configuration file. */
  readonly config?: string
  /** Memory limit of the database, in megabytes. */
  readonly memory?: number
  /** Called with errors whose details clients do not see. */
  readonly onFailure: (error: Error) => void
}

export interface CrawlServer extends Listening {
  readonly source: SettingsSource
}

/** Starts the server of the search page for a crawl directory. @throws ConfigurationError, CrawlDirectoryMissing */
export async function serveCrawl(dir: string, options: ServeOptions): Promise<CrawlServer> {
  requireCrawl(dir)
  const source = settingsSource({
    ...withoutUndefined({ named: options.config }),
    crawlDirectory: dir,
    currentDirectory: process.cwd(),
    env: process.env,
    flags: options.memory === undefined ? {} : { memoryMb: options.memory },
    loadsCode: false,
  })
  const settings = await loadSettings(source)
  const memory = withoutUndefined({ memoryMb: settings.memoryMb })
  const files = await readWebFiles(webFolder())
  const closers: Array<() => unknown> = []
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne()
  }
  try {
    const segments = await ParquetSegments.open(dir, memory)
    closers.push(() => segments.close())
    const fetches = await ParquetFetchFigures.open(dir, segments, settings.memoryMb)
    closers.push(() => fetches.close())
    const snapshots = new CrawlSnapshots(dir, { clock: wallClock, ...memory })
    closers.push(() => snapshots.close())
    const search = new SearchProcesses(steadyClock, { filename: SEARCH_WORKER, directory: dir })
    closers.push(() => search.close())
    const crawl = new ServedCrawl({
      ...{ directory: dir, clock: wallClock, snapshots, segments, fetches },
      explain: explainServed(settings, segments),
    })
    const { host, onFailure } = options
    const server = await listen(createServeApp({ crawl, search, files, host, onFailure }), options)
    closers.push(() => server.close())
    return { url: server.url, close, source }
  } catch (error) {
    await close()
    throw error
  }
}

function requireCrawl(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new ConfigurationError('OPTION_INVALID', `${dir} is a file; give the directory of a crawl`)
  if (['crawldb.duckdb', 'segments', 'index'].some((name) => existsSync(join(dir, name)))) return
  throw new CrawlDirectoryMissing(`there is no crawl in ${dir}: create one with orbweaver crawl`)
}

/** `.ts` in the sources, `.js` when built. */
const SEARCH_WORKER = fileURLToPath(
  new URL(`search-worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url),
)

/** The page is built into dist/web, next to this folder in dist/. */
function webFolder(): string {
  const folders = ['../web/', '../../dist/web/'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  const built = folders.find((folder) => existsSync(join(folder, 'index.html')))
  if (built === undefined)
    throw new ConfigurationError('OPTION_INVALID', 'the search page is not built: run npm run build')
  return built
}

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
    const report = await explainUrl(
      { db, links, segments, normalize, filter, rules, clock: wallClock },
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
  },
  links: { inlinks: async () => [] },
}
