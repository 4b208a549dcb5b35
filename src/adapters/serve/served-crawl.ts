import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import type { LinkDb } from '../../domain/crawldb/link-db.ts'
import type { FetchFigures, FetchHistory, HistoryRange } from '../../domain/segment/fetch-figures.ts'
import { CONTENT_STATUSES } from '../../domain/segment/segment-rows.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'
import { cachedFor } from './cached-for.ts'
import { CrawlStatistics } from './crawl-statistics.ts'
import type {
  DbStatistics,
  Freshness,
  HostFactsQuery,
  HostReport,
  KnownHosts,
  Overview,
  PagePreview,
  StatusCount,
  UrlReport,
} from './responses.ts'
import type { CrawlApi } from './serve-ports.ts'

export interface ServedCrawlParts {
  /** As given on the command line. */
  readonly directory: string
  readonly clock: Clock
  readonly snapshots: CrawlDbSnapshots
  readonly segments: Pick<SegmentStore, 'list' | 'pages'>
  readonly fetches: FetchFigures
  /** The report of `explain`. Without a snapshot, the CrawlDb is left out. */
  explain(input: string, db: SnapshotDb | undefined): Promise<Omit<UrlReport, 'freshness'>>
}

/** Reads a CrawlDb that another process may be using. */
export interface CrawlDbSnapshots {
  /** Calls `work` with the latest snapshot. Without a snapshot, `work` is not called and there is no value. */
  read<T>(work: (db: SnapshotDb) => Promise<T>): Promise<SnapshotResult<T>>
}

export interface SnapshotDb {
  readonly db: CrawlDb
  readonly links: LinkDb
  readonly reader: CrawlDbReader
}

export interface SnapshotResult<T> {
  /** The time of the snapshot. */
  readonly asOf?: number
  /** The process that uses the CrawlDb now. */
  readonly owner?: { readonly command: string; readonly since: string; readonly pid: number }
  readonly value?: T
}

/** The reports on a crawl directory, which another process may be using. */
export class ServedCrawl implements CrawlApi {
  readonly #parts: ServedCrawlParts
  readonly #history: Readonly<Record<HistoryRange, () => Promise<FetchHistory>>>
  readonly overview: () => Promise<Overview>

  constructor(parts: ServedCrawlParts) {
    const { clock, fetches } = parts
    this.#parts = parts
    // Statistics of a large crawl take time: all requests share one result for a while.
    this.overview = cachedFor(clock, CACHE_MS, () => this.#readOverview())
    this.#history = {
      latest: cachedFor(clock, CACHE_MS, () => fetches.history('latest')),
      all: cachedFor(clock, CACHE_MS, () => fetches.history('all')),
    }
  }

  history(range: HistoryRange): Promise<FetchHistory> {
    return this.#history[range]()
  }

  async host(host: string): Promise<HostReport | undefined> {
    const now = this.#parts.clock.now()
    const { value: db, ...snapshot } = await this.#parts.snapshots.read(async ({ reader }) => {
      const statistics = new CrawlStatistics(reader)
      const known = await statistics.host(host, now)
      if (known === undefined) return undefined
      const statuses = await statistics.hostStatuses(host)
      const facts = await statistics.factsOf(host)
      const urls = await statistics.hostUrls(host, LISTED_URLS)
      return { figures: known, statuses, urls, ...withoutUndefined({ facts }) }
    })
    const { totals, recent } = await this.#parts.fetches.ofHost(host, LISTED_FETCHES)
    if (db === undefined && recent.length === 0) return undefined
    return { host, freshness: freshnessOf(snapshot), ...withoutUndefined({ db }), fetches: totals, recent }
  }

  async hosts(query: HostFactsQuery): Promise<KnownHosts> {
    const { value: list, ...snapshot } = await this.#parts.snapshots.read(async ({ reader }) => {
      try {
        return await new CrawlStatistics(reader).hostFacts(query)
      } catch (error) {
        // This engine has no HostDb.
        if (error instanceof ConfigurationError) return undefined
        throw error
      }
    })
    return { freshness: freshnessOf(snapshot), ...withoutUndefined({ list }) }
  }

  async url(input: string): Promise<UrlReport> {
    const { explain, snapshots } = this.#parts
    const { value, ...snapshot } = await snapshots.read((db) => explain(input, db))
    return { ...(value ?? (await explain(input, undefined))), freshness: freshnessOf(snapshot) }
  }

  async preview(url: string): Promise<PagePreview | undefined> {
    const { segments } = this.#parts
    const filter = { url, statuses: CONTENT_STATUSES, body: false, links: false }
    for await (const [page] of segments.pages(await segments.list(), filter)) {
      if (page?.parseText === undefined) continue
      const { title = '', contentType, language } = page.parseData ?? {}
      const { lines, cut } = previewLines(page.parseText.text)
      return {
        ...{ url, title, paragraphs: lines.map((text) => [{ text, marked: false }]), cut },
        fetchedAt: page.fetch.fetchedAt,
        ...withoutUndefined({ type: contentType, lang: language }),
      }
    }
    return undefined
  }

  async #readOverview(): Promise<Overview> {
    const { directory, clock, snapshots, segments } = this.#parts
    const { value: db, ...snapshot } = await snapshots.read((snapshotDb) =>
      readStatistics(snapshotDb, clock.now()),
    )
    return {
      directory,
      freshness: freshnessOf(snapshot),
      segments: (await segments.list()).length,
      ...withoutUndefined({ db }),
    }
  }
}

const CACHE_MS = 3_000
const LISTED_HOSTS = 50
const LISTED_URLS = 100
const LISTED_FETCHES = 30
const LISTED_DUE = 15

async function readStatistics({ db, reader }: SnapshotDb, now: number): Promise<DbStatistics> {
  const statistics = new CrawlStatistics(reader)
  const { total, statuses, hosts, domains } = await db.stats()
  return {
    total,
    statuses: Object.entries(statuses).map(([status, count]) => ({ status, count }) as StatusCount),
    hosts,
    domains,
    topHosts: await statistics.topHosts(LISTED_HOSTS, now),
    due: await statistics.due(now, LISTED_DUE),
  }
}

function freshnessOf({ asOf, owner }: Omit<SnapshotResult<unknown>, 'value'>): Freshness {
  return {
    ...withoutUndefined({ asOf }),
    ...(owner !== undefined && {
      busy: { command: owner.command, since: owner.since, pid: owner.pid },
    }),
  }
}

/** The first lines of a text for a preview, without blank lines. */
export function previewLines(text: string): { readonly lines: readonly string[]; readonly cut: boolean } {
  // The cut can split a surrogate pair.
  const head = text.slice(0, MAX_CHARS).toWellFormed()
  return {
    lines: head.split('\n').filter((line) => line.trim() !== ''),
    cut: text.length > MAX_CHARS,
  }
}

const MAX_CHARS = 50_000
