import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import type { LinkDb } from '../../domain/crawldb/link-db.ts'
import { CONTENT_STATUSES } from '../../domain/segment/segment-rows.ts'
import type { SegmentStore } from '../../domain/segment/segment-store.ts'
import type { HistoryRange, VisitFigures, VisitHistory } from '../../domain/segment/visit-figures.ts'
import type {
  DbFigures,
  Freshness,
  HostReport,
  Overview,
  PagePreview,
  StatusCount,
  UrlReport,
} from './answers.ts'
import { CrawlFigures } from './crawl-figures.ts'
import type { CrawlView } from './crawl-view.ts'
import { previewLines } from './preview-lines.ts'
import { sharedFor } from './shared-for.ts'

export interface ServedCrawlParts {
  /** As the user named it. */
  readonly directory: string
  readonly clock: Clock
  readonly looks: CrawlDbLooks
  readonly segments: Pick<SegmentStore, 'list' | 'pages'>
  readonly visits: VisitFigures
  /** `explain`, with the db or, while there was no chance to look at it, without. */
  explain(input: string, db: LookedAtDb | undefined): Promise<Omit<UrlReport, 'freshness'>>
}

/** Looks at a CrawlDb that others work on. */
export interface CrawlDbLooks {
  /** Hands `work` the newest state that could be had; without any, `work` is not called and there is no value. */
  look<T>(work: (db: LookedAtDb) => Promise<T>): Promise<Look<T>>
}

export interface LookedAtDb {
  readonly db: CrawlDb
  readonly links: LinkDb
  readonly reader: CrawlDbReader
}

export interface Look<T> {
  /** Of when the state is. */
  readonly asOf?: number
  /** Who works on it now. */
  readonly owner?: { readonly command: string; readonly since: string; readonly pid: number }
  readonly value?: T
}

/** A crawl directory as the page shows it, whoever works on it meanwhile. */
export class ServedCrawl implements CrawlView {
  readonly #parts: ServedCrawlParts
  readonly #history: Readonly<Record<HistoryRange, () => Promise<VisitHistory>>>
  readonly overview: () => Promise<Overview>

  constructor(parts: ServedCrawlParts) {
    const { clock, visits } = parts
    this.#parts = parts
    // Figures over everything take longer the larger a crawl is: however many look, they are worked out once in a while.
    this.overview = sharedFor(clock, FIGURES_KEPT_MS, () => this.#readOverview())
    this.#history = {
      latest: sharedFor(clock, FIGURES_KEPT_MS, () => visits.history('latest')),
      all: sharedFor(clock, FIGURES_KEPT_MS, () => visits.history('all')),
    }
  }

  history(range: HistoryRange): Promise<VisitHistory> {
    return this.#history[range]()
  }

  async host(host: string): Promise<HostReport | undefined> {
    const now = this.#parts.clock.now()
    const { value: db, ...look } = await this.#parts.looks.look(async ({ reader }) => {
      const figures = new CrawlFigures(reader)
      const known = await figures.host(host, now)
      if (known === undefined) return undefined
      const statuses = await figures.hostStatuses(host)
      return { figures: known, statuses, urls: await figures.hostUrls(host, LISTED_URLS) }
    })
    const { totals, recent } = await this.#parts.visits.ofHost(host, LISTED_VISITS)
    if (db === undefined && recent.length === 0) return undefined
    return { host, freshness: freshnessOf(look), ...withoutUndefined({ db }), visits: totals, recent }
  }

  async url(input: string): Promise<UrlReport> {
    const { explain, looks } = this.#parts
    const { value, ...look } = await looks.look((db) => explain(input, db))
    return { ...(value ?? (await explain(input, undefined))), freshness: freshnessOf(look) }
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
    const { directory, clock, looks, segments } = this.#parts
    const { value: db, ...look } = await looks.look((seen) => readFigures(seen, clock.now()))
    return {
      directory,
      freshness: freshnessOf(look),
      segments: (await segments.list()).length,
      ...withoutUndefined({ db }),
    }
  }
}

const FIGURES_KEPT_MS = 3_000
const LISTED_HOSTS = 50
const LISTED_URLS = 100
const LISTED_VISITS = 30
const LISTED_DUE = 15

async function readFigures({ db, reader }: LookedAtDb, now: number): Promise<DbFigures> {
  const figures = new CrawlFigures(reader)
  const { total, statuses, hosts, domains } = await db.stats()
  return {
    total,
    statuses: Object.entries(statuses).map(([status, count]) => ({ status, count }) as StatusCount),
    hosts,
    domains,
    topHosts: await figures.topHosts(LISTED_HOSTS, now),
    due: await figures.due(now, LISTED_DUE),
  }
}

function freshnessOf({ asOf, owner }: Omit<Look<unknown>, 'value'>): Freshness {
  return {
    ...withoutUndefined({ asOf }),
    ...(owner !== undefined && {
      busy: { command: owner.command, since: owner.since, pid: owner.pid },
    }),
  }
}
