import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { SearchOptions } from '../adapters/sqlite-index/search-index.ts'
import type { DropCounts } from '../base/drop-counts.ts'
import type { HostWaits } from '../domain/crawldb/crawl-db.ts'
import type {
  DedupRequest,
  GenerateRequest,
  GenerateResult,
  UpdateResult,
} from '../domain/crawldb/crawl-db-requests.ts'
import type { DbStatus } from '../domain/crawldb/crawl-status.ts'
import type { HeaderList } from '../domain/fetch/headers.ts'
import type { RenderCounts } from '../domain/politeness/rendering-fetcher.ts'
import type { AiUse } from '../domain/robots/ai-use.ts'
import type { RobotsFailure } from '../domain/robots/robots-cache.ts'
import type { CrawlResult, RoundReport } from '../flows/cycle/crawl-rounds.ts'
import type { UrlStory } from '../flows/cycle/explain-url.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import type { InjectSummary } from '../flows/cycle/inject.ts'
import type { MergeSegmentsResult } from '../flows/cycle/merge-segments.ts'
import type { FetchRunOptions } from './fetch-session.ts'
import type { EventReceivers } from './run-log.ts'

/**
 * Options of {@link openCrawl}: every key of orbweaver.config (`agent`, `politeness`, `filters`, …), and the keys below. They override the
 * environment and the configuration file.
 * @example
 * const options: OpenCrawlOptions = {
 *   agent: { name: 'my-bot', email: 'me@example.org' },
 *   politeness: { delaySeconds: 2 },
 *   filters: { scope: 'domain', maxDepth: 3 },
 * }
 */
export interface OpenCrawlOptions extends OrbweaverConfig, EventReceivers {
  /** The path of a configuration file. @default orbweaver.config.* in the current directory, or a .json one in or above the crawl directory */
  readonly config?: string
  /** Open without a lock: methods that change the crawl reject. While another process works on the crawl, it is read through that process. @default false */
  readonly readOnly?: boolean
  /** Create the directory if it does not exist. @default true, without `readOnly` */
  readonly create?: boolean
  /** Override the lock held by another process. @default false */
  readonly force?: boolean
  /** The name of this program in the message that other processes get while the directory is locked. @default 'openCrawl' */
  readonly command?: string
  /** Apply the settings that the directory remembers: the flags of the last `orbweaver crawl` or `run`. Options override them. @default true */
  readonly rememberedSettings?: boolean
}

/**
 * Seeds: URLs, each optionally followed by TAB-separated `key=value` items as in a Nutch seed list; or the names of files and directories with
 * such lines.
 * @example
 * const one: Seeds = 'https://example.org/'
 * const several: Seeds = ['https://example.org/', 'https://example.com/\tscore=2']
 * const files: Seeds = { files: ['seeds.txt', 'more-seeds/'] }
 */
export type Seeds = string | Iterable<string> | AsyncIterable<string> | SeedFiles

/**
 * Seed files for {@link Crawl.inject}.
 * @example
 * const seeds: SeedFiles = { files: ['seeds.txt'] }
 */
export interface SeedFiles {
  /** Paths of files and directories. A URL, or `-` for `input`, is accepted, too. */
  readonly files: readonly string[]
  /** The data for `-`. @default no data */
  readonly input?: AsyncIterable<Uint8Array>
}

/**
 * Options of {@link Crawl.inject}.
 * @example
 * const options: InjectSeedsOptions = { existing: 'update' }
 */
export interface InjectSeedsOptions {
  /** For URLs that are in the CrawlDb: `keep` them, `update` score, interval and metadata, or `overwrite` the record. @default 'keep' */
  readonly existing?: 'keep' | 'update' | 'overwrite'
  /** Apply the URL filters. @default true */
  readonly filter?: boolean
  /** Normalise the URLs. @default true */
  readonly normalize?: boolean
  /** Stops the operation: it fails, and nothing is changed. On Spark it has no effect. */
  readonly signal?: AbortSignal
}

/**
 * Which due URLs a fetch list takes.
 * @example
 * const list: FetchListOptions = { topN: 1000, maxCount: 50, countMode: 'domain' }
 */
export interface FetchListOptions
  extends Pick<GenerateRequest, 'topN' | 'maxCount' | 'countMode' | 'minScore' | 'restrictStatus' | 'expr'> {}

/**
 * Options of {@link Crawl.generate}.
 * @example
 * const options: GenerateOptions = { topN: 1000 }
 */
export interface GenerateOptions
  extends FetchListOptions,
    Pick<GenerateRequest, 'numFetchers' | 'addDays' | 'maxNumSegments' | 'partition'> {
  /** Apply the URL filters. @default true */
  readonly filter?: boolean
  /** Normalise the URLs. @default true */
  readonly normalize?: boolean
  /** Stops the operation: it fails, and nothing is changed. On Spark it has no effect. */
  readonly signal?: AbortSignal
}

/**
 * Options of {@link Crawl.freegen}.
 * @example
 * const options: FreegenOptions = { filter: false }
 */
export interface FreegenOptions
  extends Pick<GenerateOptions, 'numFetchers' | 'partition' | 'filter' | 'normalize' | 'signal'> {}

/**
 * Result of {@link Crawl.freegen}.
 * @example
 * const { segments, injected }: FreegenResult = await crawl.freegen(['https://example.org/'])
 */
export interface FreegenResult extends GenerateResult {
  /** The URLs that were given; new ones are added to the CrawlDb. */
  readonly injected: InjectSummary
  /** Given URLs that are on another fetch list, or whose host must wait. */
  readonly leftOut: number
}

/**
 * Result of {@link Crawl.generate}.
 * @example
 * const { segments, selected }: GeneratedLists = await crawl.generate()
 */
export interface GeneratedLists extends GenerateResult {
  /** Number of due URLs that the limits of this list left out. */
  readonly leftOut: number
  /** Hosts with due URLs that must wait. */
  readonly waiting: HostWaits
}

/**
 * Options of {@link Crawl.fetch}.
 * @example
 * const options: FetchStepOptions = { maxTimeSeconds: 1_800, onProgress: ({ pages }) => console.log(pages) }
 */
export interface FetchStepOptions extends FetchRunOptions {
  /** The name of a segment. @default the oldest that is not completely fetched */
  readonly segment?: string
  /** Parse pages as they arrive; otherwise {@link Crawl.parse} does it later. @default true */
  readonly parse?: boolean
  /** Called once before the first request. */
  readonly onStart?: (list: { readonly segment: string; readonly urls: number }) => void
}

/**
 * Options of {@link Crawl.parse}.
 * @example
 * const options: ParseStepOptions = { parseThreads: 4 }
 */
export interface ParseStepOptions {
  /** The name of a segment. @default the oldest with pages that are not parsed */
  readonly segment?: string
  /** Number of threads; 0: the main thread parses. @default 2 */
  readonly parseThreads?: number
  /** Stops the operation; the next call resumes. */
  readonly signal?: AbortSignal
}

/**
 * Options of {@link Crawl.update}.
 * @example
 * const options: UpdateOptions = { purgeGone: true }
 */
export interface UpdateOptions {
  /** Names of segments. @default all */
  readonly segments?: readonly string[]
  /** Apply the URL filters to every URL, known ones included, and remove the rejected ones. @default false */
  readonly filter?: boolean
  /** Normalise every URL, known ones included. @default false */
  readonly normalize?: boolean
  /** Add URLs that are not in the CrawlDb. @default true */
  readonly additions?: boolean
  /** Remove pages that are gone. @default false */
  readonly purgeGone?: boolean
  /** Remove pages with the status `db_orphan`. Needs the setting `orphans.enabled`. @default false */
  readonly purgeOrphans?: boolean
  /** Merge the results of `segments`, then release the URLs that were not fetched. @default false */
  readonly abandon?: boolean
  /** Merge segments again that are merged already; their links count twice. @default false */
  readonly again?: boolean
  /** Stops the operation; the next call merges the remaining results. */
  readonly signal?: AbortSignal
}

/**
 * Result of {@link Crawl.update}.
 * @example
 * const { added, changed }: UpdatedDb = await crawl.update()
 */
export interface UpdatedDb extends UpdateResult {
  /** URLs of abandoned and deleted segments that can be generated again. */
  readonly freed: number
}

/**
 * Options of {@link Crawl.invertLinks}.
 * @example
 * const options: InvertLinksOptions = { internal: true }
 */
export interface InvertLinksOptions {
  /** Names of segments. @default all */
  readonly segments?: readonly string[]
  /** Include links within one host. @default false */
  readonly internal?: boolean
  /** Leave out links between hosts. Needs `internal`. @default false */
  readonly ignoreExternal?: boolean
  /** Stops the operation: it fails, and nothing is changed. On Spark it has no effect. */
  readonly signal?: AbortSignal
}

/**
 * Options of {@link Crawl.dedup}.
 * @example
 * const options: DedupOptions = { group: 'host' }
 */
export interface DedupOptions extends DedupRequest {}

/**
 * Options of {@link Crawl.index}.
 * @example
 * const options: IndexStepOptions = { to: ['sqlite', 'solr:https://localhost:8983/solr/pages'] }
 */
export interface IndexStepOptions {
  /** Names of indexes: `sqlite`, `solr:URL`, `elastic:URL`, `opensearch:URL`, `jsonl:FILE`, `csv:FILE`, `redis-stream:ADDRESS`, or a name of the setting `index.targets`. @default ['sqlite'] */
  readonly to?: readonly string[]
  /** Only pages whose newest version is in these segments. @default all */
  readonly segments?: readonly string[]
  /** Index every page again, changed or not. @default false */
  readonly all?: boolean
  /** Delete pages that are gone, redirect or are duplicates. @default true */
  readonly deleteGone?: boolean
  /** Stops the operation; the next call resumes. */
  readonly signal?: AbortSignal
}

/**
 * Options of {@link Crawl.clean}.
 * @example
 * const options: CleanOptions = { to: ['sqlite'], status: ['db_gone'] }
 */
export interface CleanOptions {
  /** Names of indexes, as for {@link IndexStepOptions}. @default ['sqlite'], without `remove` */
  readonly to?: readonly string[]
  /** Called with the URLs instead of deleting them from an index. */
  readonly remove?: (urls: readonly string[]) => Promise<void>
  /** @default every status that does not belong in an index */
  readonly status?: readonly DbStatus[]
  readonly signal?: AbortSignal
}

/**
 * Result of {@link Crawl.clean} for one index.
 * @example
 * const [{ target, urls }]: CleanedIndex[] = await crawl.clean()
 */
export interface CleanedIndex {
  /** The name of the index; absent with `remove`. */
  readonly target?: string
  /** Number of URLs that were deleted. */
  readonly urls: number
  /** The same by status. */
  readonly statuses: Readonly<Partial<Record<DbStatus, number>>>
}

/**
 * Options of {@link Crawl.mergeDb}.
 * @example
 * const options: MergeDbOptions = { filter: true }
 */
export interface MergeDbOptions {
  /** Delete records that the URL filters reject, in the whole CrawlDb. @default false */
  readonly filter?: boolean
  /** Normalise the URLs of the whole CrawlDb. @default false */
  readonly normalize?: boolean
  /** Stops the operation: it fails, and directories before the one that was being merged are merged. */
  readonly signal?: AbortSignal
}

/**
 * Options of {@link Crawl.mergeLinkDb}.
 * @example
 * const options: MergeLinkDbOptions = { signal: AbortSignal.timeout(60_000) }
 */
export interface MergeLinkDbOptions extends Pick<MergeDbOptions, 'signal'> {}

/**
 * Options of {@link Crawl.mergeSegments}.
 * @example
 * const options: MergeOptions = { delete: true }
 */
export interface MergeOptions {
  /** Names of segments. @default all */
  readonly segments?: readonly string[]
  /** Leave out URLs that the filters reject. @default false */
  readonly filter?: boolean
  /** Normalise the URLs. @default false */
  readonly normalize?: boolean
  /** Number of URLs in each new segment. @default all in one segment */
  readonly slice?: number
  /** Delete the old segments afterwards, except those that are not yet merged into the CrawlDb. @default false */
  readonly delete?: boolean
  /** Merge again what was merged in the same way before. @default false */
  readonly again?: boolean
  /** Stops the operation: it fails, and nothing is changed. On Spark it has no effect. */
  readonly signal?: AbortSignal
}

/**
 * Result of {@link Crawl.mergeSegments}.
 * @example
 * const { segments, deleted }: MergedSegments = await crawl.mergeSegments({ delete: true })
 */
export interface MergedSegments extends MergeSegmentsResult {
  readonly deleted: readonly string[]
  /** Old segments that {@link Crawl.update} has not merged into the CrawlDb; they are not deleted. */
  readonly unmerged: readonly string[]
}

/**
 * Options of {@link Crawl.run}.
 * @example
 * const options: RunOptions = { maxPages: 500, maxTimeSeconds: 600, index: true }
 */
export interface RunOptions extends FetchRunOptions, FetchListOptions {
  /** Maximum number of fetch lists. @default no limit */
  readonly rounds?: number
  /** Maximum number of pages. @default the setting `limits.maxPages` */
  readonly maxPages?: number
  /** Update the search index after each round: `true` for the one in the crawl directory, or names as for {@link IndexStepOptions}. @default false */
  readonly index?: boolean | readonly string[]
  /** With `index`: also update it within rounds, this many seconds after the last update. Pages are in it some seconds after their fetch. @default only after rounds */
  readonly indexEverySeconds?: number
  /** Called for each fetch list, each update of the CrawlDb and each wait. */
  readonly onRound?: (report: RoundReport) => void
}

/**
 * Result of {@link Crawl.run}.
 * @example
 * const { ended, pages, durationMs }: RunResult = await crawl.run({ maxPages: 500 })
 */
export interface RunResult extends CrawlResult {
  /** Number of sites whose robots.txt returned 401 or 403. */
  readonly robotsForbidden: number
  /** Sites whose robots.txt could not be fetched: they are not crawled before `retryAt`. */
  readonly robotsFailures: readonly RobotsFailure[]
  /** Pages rendered in a browser, and pages that look as if they need it. */
  readonly rendering?: RenderCounts
  /** With `index`: the result for each index. */
  readonly index?: readonly TargetResult[]
}

/**
 * Which pages {@link Crawl.pages} returns.
 * @example
 * const options: PagesOptions = { host: 'example.org', body: true }
 */
export interface PagesOptions {
  /** Only pages of this host. @default any host */
  readonly host?: string
  /** Names of segments. @default all */
  readonly segments?: readonly string[]
  /** Read the bodies, too; they are most of the data. @default false */
  readonly body?: boolean
}

/**
 * A fetched page.
 * @example
 * for await (const page of crawl.pages()) console.log(page.url, page.title, page.text.length)
 */
export interface CrawledPage {
  readonly url: string
  /** `''` if the page has none. */
  readonly title: string
  /** The visible text; `''` if the page was not parsed. */
  readonly text: string
  readonly description?: string
  readonly language?: string
  readonly contentType?: string
  readonly canonical?: string
  readonly noindex: boolean
  readonly outlinks: readonly string[]
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number
  readonly httpStatus?: number
  readonly headers: HeaderList
  /** With `body`: the decoded response body. */
  readonly body?: Uint8Array
  /** Added by the parse filters of the configuration. */
  readonly metadata: Readonly<Record<string, string>>
  /** The segment that holds the page. */
  readonly segment: string
}

/**
 * Which records {@link Crawl.records} returns.
 * @example
 * const options: RecordsOptions = { status: ['db_gone'] }
 */
export interface RecordsOptions {
  /** @default any status */
  readonly status?: readonly DbStatus[]
  /** Only records of this host. @default any host */
  readonly host?: string
}

/**
 * Options of {@link Crawl.search}: `site`, `type` and `lang` select pages; `limit` (default 10, at most 100) and `offset` select hits.
 * @example
 * const options: SearchPagesOptions = { site: 'example.org', limit: 20 }
 */
export interface SearchPagesOptions extends SearchOptions {}

/**
 * What a crawl knows about one URL.
 * @example
 * const { record, filter, foundOn }: UrlExplanation = await crawl.explain('https://example.org/a')
 */
export interface UrlExplanation extends UrlStory {
  /** It is the seed that is stored for its host. */
  readonly seed: boolean
  /** For a URL that is not in the CrawlDb: the drops of the whole crawl, by reason. */
  readonly dropped?: DropCounts
}

/**
 * Options of {@link Crawl.export}.
 * @example
 * const options: ExportPagesOptions = { format: 'warc', out: 'pages.warc.gz' }
 */
export interface ExportPagesOptions {
  /**
   * `jsonl` and `parquet`: text and data; `warc`: responses as fetched; `markdown`: main content, one file per page; `chunks`: main content
   * in parts for language models, as JSON lines. @default 'jsonl'
   */
  readonly format?: 'parquet' | 'jsonl' | 'warc' | 'markdown' | 'chunks'
  /** A file, or an object such as `s3://bucket/pages.warc.gz`; for `markdown`, a directory or a file named `*.md`. */
  readonly out: string
  /** For `jsonl`: main content as text, and structured data. @default false */
  readonly clean?: boolean
  /** For `chunks`: maximum characters of a chunk. @default 2000 */
  readonly chunkSize?: number
  /** For `chunks`: characters that a chunk repeats of the one before it. @default 0 */
  readonly chunkOverlap?: number
  /** Names of segments. @default all */
  readonly segments?: readonly string[]
  /** Pages whose site or page refuses one of these uses are not exported: `train`, `input`, `search`, `images`. @default all are exported */
  readonly excludeRefused?: readonly AiUse[]
  /** Whether pages that `dedup({ near: true })` found to be near-duplicates of another page are exported, too. @default true */
  readonly nearDuplicates?: boolean
  /** Gets the number of pages that were not exported, by reason; called at most once. */
  readonly onExcluded?: (excluded: Readonly<Record<string, number>>) => void
  /** Stops the operation: it fails, and no file is written. A directory for `markdown` has the files of some pages. */
  readonly signal?: AbortSignal
}
