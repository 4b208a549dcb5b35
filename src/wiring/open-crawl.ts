import type { SearchHit } from '../adapters/sqlite-index/read-hits.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { Certificate } from '../domain/certificate/certificate.ts'
import type { CrawlDbStats, MergedRecords } from '../domain/crawldb/crawl-db.ts'
import type { DedupResult } from '../domain/crawldb/crawl-db-requests.ts'
import type { CrawlRecord } from '../domain/crawldb/crawl-record.ts'
import type { InvertResult } from '../domain/crawldb/link-db.ts'
import type { GraphResult } from '../domain/crawldb/web-graph.ts'
import type { CertifyOptions } from '../flows/cycle/certify.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import type { TargetResult } from '../flows/cycle/index-pages.ts'
import type { InjectSummary } from '../flows/cycle/inject.ts'
import type { ParseResult } from '../flows/cycle/parse-segment.ts'
import { checkOptions } from './check-options.ts'
import { CrawlOperations } from './crawl-operations.ts'
import { type CrawlSession, openCrawlSession } from './crawl-session.ts'
import type {
  CleanedIndex,
  CleanOptions,
  CrawledPage,
  DedupOptions,
  ExportPagesOptions,
  FetchStepOptions,
  FreegenOptions,
  FreegenResult,
  GeneratedLists,
  GenerateOptions,
  IndexStepOptions,
  InjectSeedsOptions,
  InvertLinksOptions,
  MergeDbOptions,
  MergedSegments,
  MergeLinkDbOptions,
  MergeOptions,
  OpenCrawlOptions,
  PagesOptions,
  ParseStepOptions,
  RecordsOptions,
  RunOptions,
  RunResult,
  SearchPagesOptions,
  Seeds,
  UpdatedDb,
  UpdateOptions,
  UrlExplanation,
} from './cycle-options.ts'
import {
  fetchStep,
  freegenStep,
  generateStep,
  injectStep,
  invertLinksStep,
  mergeDbStep,
  mergeLinkDbStep,
  mergeStep,
  parseStep,
  unfetchedSegment,
  updateStep,
} from './cycle-steps.ts'
import type { FleetFetchOptions } from './fetch-with-fleet.ts'
import type { BuildGraphOptions, RankedLinks, RankLinksOptions } from './graph-steps.ts'
import { runCycle } from './run-cycle.ts'
import type { UpdatedHosts, UpdateHostsOptions } from './update-hosts.ts'

/**
 * Opens a crawl directory and locks it until the crawl is closed. Any number of crawls may be open in one process, each in its own directory.
 *
 * Durations in options are in seconds and say so in their names (`…Seconds`). Results have durations in milliseconds
 * (`…Ms`) and times in milliseconds since the epoch (`…At`).
 * @throws CrawlDirectoryLocked if another crawl or process has the directory open; ConfigurationError for an invalid option or setting
 * @example
 * await using crawl = await openCrawl('my-crawl', { agent: { email: 'me@example.org' } })
 * await crawl.inject(['https://example.org/'])
 * const { pages } = await crawl.run({ maxPages: 500 })
 */
export async function openCrawl(dir: string, options: OpenCrawlOptions = {}): Promise<Crawl> {
  const {
    config,
    readOnly = false,
    create = true,
    force,
    command = 'openCrawl',
    onMessage,
    onEvent,
    openLog,
    rememberedSettings,
    ...settings
  } = options
  const receivers = { onMessage, onEvent, openLog }
  checkOptions('openCrawl', {
    ...{ dir, config, readOnly, create, force, command, rememberedSettings },
    ...receivers,
  })
  const session = await openCrawlSession(
    {
      ...{ dir, settings, command, receivers: withoutUndefined(receivers) },
      ...withoutUndefined({ configFile: config, force, rememberedSettings }),
    },
    readOnly ? 'read' : create ? 'create' : 'write',
  )
  return new Crawl(session, { readOnly })
}

/**
 * An open crawl directory: the Nutch crawl cycle as methods. Each step resumes an interrupted one. Steps run one at a time; reading
 * (`pages`, `search`, `stats`, …) is possible while a step runs.
 * @example
 * await using crawl = await openCrawl('my-crawl')
 * await crawl.inject('https://example.org/')
 * await crawl.generate({ topN: 100 })
 * await crawl.fetch()
 * await crawl.update()
 */
export class Crawl implements AsyncDisposable {
  #session: CrawlSession
  readonly #operations: CrawlOperations
  #closing: Promise<void> | undefined

  /** Use {@link openCrawl}. @hidden */
  constructor(session: CrawlSession, options: { readonly readOnly: boolean }) {
    this.#session = session
    this.#operations = new CrawlOperations(session.path, options.readOnly)
  }

  /** The path of the crawl directory. */
  get path(): string {
    return this.#session.path
  }

  /** A configuration file that was found but not loaded, because it is code and the crawl was opened with `readOnly`. */
  get configNotLoaded(): string | undefined {
    return this.#session.source.notLoaded
  }

  /**
   * Adds seeds to the CrawlDb.
   * @example
   * const { injected } = await crawl.inject(['https://example.org/', 'https://example.com/'])
   */
  inject(seeds: Seeds, options: InjectSeedsOptions = {}): Promise<InjectSummary> {
    return this.#operations.step('inject', options, async () => {
      const { summary, session } = await injectStep(this.#session, seeds, options, this.#session.log)
      this.#session = session
      return summary
    })
  }

  /**
   * Writes the due URLs with the highest scores to a new segment.
   * @example
   * const { selected } = await crawl.generate({ topN: 1000 })
   */
  generate(options: GenerateOptions = {}): Promise<GeneratedLists> {
    return this.#operations.step('generate', options, () => generateStep(this.#session, options))
  }

  /**
   * Writes a list of URLs to a new segment, whether they are due or not. URLs that are new are added to the CrawlDb.
   * @example
   * const { segments } = await crawl.freegen(['https://example.org/'])
   */
  freegen(seeds: Seeds, options: FreegenOptions = {}): Promise<FreegenResult> {
    return this.#operations.step('freegen', options, async () => {
      const { result, session } = await freegenStep(this.#session, seeds, options, this.#session.log)
      this.#session = session
      return result
    })
  }

  /**
   * Fetches the URLs of a segment. Resolves to `undefined` if every segment is fetched.
   * @example
   * const result = await crawl.fetch({ onProgress: ({ pagesPerSecond }) => console.log(pagesPerSecond) })
   */
  fetch(options: FetchStepOptions = {}): Promise<FetchResult | undefined> {
    return this.#operations.step('fetch', options, () => fetchStep(this.#session, options, this.#session.log))
  }

  /**
   * Fetches the URLs of a segment together with the workers of a fleet (`orbweaver worker`), over Redis. All of them must see the crawl
   * directory.
   * @example
   * await crawl.fetchWithFleet({ redis: 'redis://127.0.0.1:6379/0' })
   */
  fetchWithFleet({
    segment,
    ...options
  }: FleetFetchOptions & { readonly segment?: string }): Promise<FetchResult | undefined> {
    return this.#operations.step('fetchWithFleet', { segment, ...options }, async () => {
      const name = await unfetchedSegment(this.#session, segment)
      if (name === undefined) return undefined
      const { fetchWithFleet } = await import('./fetch-with-fleet.ts')
      return fetchWithFleet(this.#session, name, options, this.#session.log)
    })
  }

  /**
   * Parses the pages of a segment that was fetched without parsing. Resolves to `undefined` if every page is parsed.
   * @example
   * await crawl.fetch({ parse: false })
   * await crawl.parse({ parseThreads: 4 })
   */
  parse(options: ParseStepOptions = {}): Promise<ParseResult | undefined> {
    return this.#operations.step('parse', options, () => parseStep(this.#session, options))
  }

  /**
   * Merges fetch results and new URLs into the CrawlDb (`updatedb`).
   * @example
   * const { added } = await crawl.update()
   */
  update(options: UpdateOptions = {}): Promise<UpdatedDb> {
    return this.#operations.step('update', options, () => updateStep(this.#session, options))
  }

  /**
   * Builds the inverted link index: the inlinks of each page with their anchor text.
   * @example
   * const { links } = await crawl.invertLinks()
   */
  invertLinks(options: InvertLinksOptions = {}): Promise<InvertResult> {
    return this.#operations.step('invertLinks', options, () => invertLinksStep(this.#session, options))
  }

  /**
   * Adds the links of segments to the web graph (`webgraph`).
   * @throws ConfigurationError if the CrawlDb is on Spark
   * @example
   * const { nodes, links } = await crawl.buildGraph({ ignoreInternal: 'host' })
   */
  buildGraph(options: BuildGraphOptions = {}): Promise<GraphResult> {
    return this.#operations.step('buildGraph', options, async () =>
      (await graphSteps()).buildGraphStep(this.#session, options),
    )
  }

  /**
   * Computes the LinkRank of the pages or hosts in the web graph (`linkrank`).
   * @throws ConfigurationError if the CrawlDb is on Spark
   * @example
   * const { converged } = await crawl.rankLinks({ updateScores: true })
   */
  rankLinks(options: RankLinksOptions = {}): Promise<RankedLinks> {
    return this.#operations.step('rankLinks', options, async () =>
      (await graphSteps()).rankLinksStep(this.#session, options),
    )
  }

  /**
   * Updates what the HostDb knows beyond the facts that every update keeps current (`updatehostdb`): percentiles, name checks, dead hosts.
   * @throws ConfigurationError if the CrawlDb is on Spark
   * @example
   * const { purged } = await crawl.updateHosts({ check: 'failed', purgeFailed: 5 })
   */
  updateHosts(options: UpdateHostsOptions = {}): Promise<UpdatedHosts> {
    return this.#operations.step('updateHosts', options, async () =>
      (await hostSteps()).updateHostsStep(this.#session, options),
    )
  }

  /**
   * Marks all but one of the pages with the same content as duplicates.
   * @example
   * const { duplicates } = await crawl.dedup({ group: 'host' })
   */
  dedup(options: DedupOptions = {}): Promise<DedupResult> {
    return this.#operations.step('dedup', options, () => this.#session.db.markDuplicates(options))
  }

  /**
   * Updates search indexes with the changes of the crawl.
   * @example
   * const [result] = await crawl.index({ to: ['sqlite'] })
   */
  index(options: IndexStepOptions = {}): Promise<TargetResult[]> {
    return this.#operations.step('index', options, async () =>
      (await contents()).indexStep(this.#session, options, this.#session.log),
    )
  }

  /**
   * Deletes pages from search indexes that do not belong there: gone pages, redirects, duplicates, orphans.
   * @example
   * const [{ urls }] = await crawl.clean()
   */
  clean(options: CleanOptions = {}): Promise<CleanedIndex[]> {
    const work = async () => (await contents()).cleanStep(this.#session, options, this.#session.log)
    if (options.remove === undefined) return this.#operations.step('clean', options, work)
    checkOptions('clean', options)
    return this.#operations.run(work)
  }

  /**
   * Merges segments into one (`mergesegs`); of a page in several segments the newest good version stays.
   * @example
   * const { segments } = await crawl.mergeSegments({ delete: true })
   */
  mergeSegments(options: MergeOptions = {}): Promise<MergedSegments> {
    return this.#operations.step('mergeSegments', options, () => mergeStep(this.#session, options))
  }

  /**
   * Adds the records of other crawl directories to the CrawlDb (`mergedb`). Of a URL that several have, the record that was fetched last stays.
   * @example
   * const { added } = await crawl.mergeDb(['other-crawl'])
   */
  mergeDb(directories: readonly string[], options: MergeDbOptions = {}): Promise<MergedRecords> {
    return this.#operations.step('mergeDb', options, () => mergeDbStep(this.#session, directories, options))
  }

  /**
   * Adds the inverted links of other crawl directories (`mergelinkdb`). Resolves to the number of links added.
   * @example
   * const links = await crawl.mergeLinkDb(['other-crawl'])
   */
  mergeLinkDb(directories: readonly string[], options: MergeLinkDbOptions = {}): Promise<number> {
    return this.#operations.step('mergeLinkDb', options, () =>
      mergeLinkDbStep(this.#session, directories, options),
    )
  }

  /**
   * Runs the whole cycle in overlapping rounds until no URL is due or a limit is reached. Resumes an interrupted run.
   * @example
   * const result = await crawl.run({ maxPages: 500, index: true, onProgress: (p) => console.log(p.pagesPerSecond) })
   */
  run(options: RunOptions = {}): Promise<RunResult> {
    return this.#operations.step('run', options, () => runCycle(this.#session, options, this.#session.log))
  }

  /**
   * The fetched pages, the newest version of each.
   * @example
   * for await (const page of crawl.pages({ host: 'example.org' })) console.log(page.url, page.title)
   */
  async *pages(options: PagesOptions = {}): AsyncGenerator<CrawledPage, void, undefined> {
    checkOptions('pages', options)
    const { readPages } = await this.#operations.run(contents)
    yield* this.#operations.each(readPages(this.#session, options))
  }

  /**
   * The records of the CrawlDb: status, score, due time and history of each URL.
   * @example
   * for await (const { url, retries } of crawl.records({ status: ['db_gone'] })) console.log(url, retries)
   */
  async *records(options: RecordsOptions = {}): AsyncGenerator<CrawlRecord, void, undefined> {
    checkOptions('records', options)
    const { readRecords } = await this.#operations.run(contents)
    yield* this.#operations.each(readRecords(this.#session, options))
  }

  /**
   * Counts of the CrawlDb by status, host and outcome (`readdb --stats`).
   * @example
   * const { total, statuses } = await crawl.stats()
   */
  stats(): Promise<CrawlDbStats> {
    return this.#operations.run(() => this.#session.db.stats())
  }

  /**
   * Searches the index in the crawl directory, which `index` and `run({ index: true })` build. Best hits first.
   * @throws IndexMissing before the first index
   * @example
   * const hits = await crawl.search('spider silk', { limit: 5 })
   */
  search(query: string, options: SearchPagesOptions = {}): Promise<readonly SearchHit[]> {
    checkOptions('search', { query, ...options })
    return this.#operations.run(async () => {
      const { SearchIndex } = await import('../adapters/sqlite-index/search-index.ts')
      const index = SearchIndex.open(this.path)
      try {
        return index.search(query, options).hits
      } finally {
        index.close()
      }
    })
  }

  /**
   * Everything the crawl knows about one URL: where it was found, the decisions, the fetches, the due time.
   * @example
   * const { record, foundOn } = await crawl.explain('https://example.org/a')
   */
  explain(url: string): Promise<UrlExplanation> {
    return this.#operations.run(async () =>
      (await import('./explain-step.ts')).explainStep(this.#session, url),
    )
  }

  /**
   * Checks every logged request against robots.txt and the delays of its host (`certify --format json`).
   * @example
   * const { summary, violations } = await crawl.certify({ host: 'example.org' })
   */
  certify(options: CertifyOptions = {}): Promise<Certificate> {
    checkOptions('certify', options)
    return this.#operations.run(async () =>
      (await import('./certify-crawl.ts')).certifyCrawl(this.path, options),
    )
  }

  /**
   * Writes the pages to a file, the newest version of each. Returns the number of pages.
   * @example
   * const pages = await crawl.export({ format: 'jsonl', out: 'pages.jsonl' })
   */
  export(options: ExportPagesOptions): Promise<number> {
    checkOptions('export', options)
    return this.#operations.run(async () => (await contents()).exportStep(this.#session, options))
  }

  /**
   * Waits for running operations, then closes the crawl and releases its lock. Abort their `signal` first to close sooner.
   * @example
   * await crawl.close()
   */
  close(): Promise<void> {
    this.#closing ??= this.#operations.close().then(() => this.#session.close())
    return this.#closing
  }

  /**
   * The same as {@link Crawl.close}, for `await using`.
   * @example
   * await using crawl = await openCrawl('my-crawl')
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const hostSteps = () => import('./update-hosts.ts')
const graphSteps = () => import('./graph-steps.ts')

/** Loaded late: a crawl rarely reads its pages or writes an index. */
const contents = () => import('./crawl-contents.ts')
