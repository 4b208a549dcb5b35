/** `orbweaver/crawl`: the crawl cycle for programs. `openCrawl` opens a crawl directory; its methods are the steps of the cycle. */

export {
  CrawlDirectoryLocked,
  CrawlDirectoryMissing,
} from './adapters/crawl-directory/crawl-directory-error.ts'
export { IndexMissing } from './adapters/sqlite-index/index-file.ts'
export type { SearchHit } from './adapters/sqlite-index/read-hits.ts'
export type {
  Certificate,
  CertificateNote,
  CertifiedCrawler,
  CertifiedGaps,
  CertifiedLimits,
  CertifiedRetryAfter,
  CertifiedRobots,
  HostCertificate,
  RobotsDecisionCount,
  Violation,
  ViolationRule,
} from './domain/certificate/certificate.ts'
export type { CrawlDbStats, HostWaits } from './domain/crawldb/crawl-db.ts'
export type { DedupResult } from './domain/crawldb/crawl-db-requests.ts'
export type { CrawlRecord } from './domain/crawldb/crawl-record.ts'
export type { DbStatus } from './domain/crawldb/crawl-status.ts'
export type { InvertResult } from './domain/crawldb/link-db.ts'
export type {
  ObservedLimits,
  ObservedRequest,
  ObservedRobots,
  RequestObserver,
  UnsentRequest,
} from './domain/fetch/request-observer.ts'
export type { LiveCrawl } from './domain/live/live-crawl.ts'
export type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionResult,
  LiveHost,
  LiveReport,
  LiveSeries,
} from './domain/live/live-report.ts'
export type { CertifyOptions } from './flows/cycle/certify.ts'
export type { CrawlResult, RoundReport } from './flows/cycle/crawl-rounds.ts'
export type { FetchProgress } from './flows/cycle/fetch-progress.ts'
export type { FetchResult } from './flows/cycle/fetch-result.ts'
export type { TargetResult } from './flows/cycle/index-pages.ts'
export type { InjectSummary } from './flows/cycle/inject.ts'
export type { OfferProgress } from './flows/cycle/offer-segment.ts'
export type { ParseResult } from './flows/cycle/parse-segment.ts'
export { CrawlUnusable } from './wiring/crawl-operations.ts'
export type {
  CleanedIndex,
  CleanOptions,
  CrawledPage,
  DedupOptions,
  ExportPagesOptions,
  FetchListOptions,
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
  MergeOptions,
  OpenCrawlOptions,
  PagesOptions,
  ParseStepOptions,
  RecordsOptions,
  RunOptions,
  RunResult,
  SearchPagesOptions,
  SeedFiles,
  Seeds,
  UpdatedDb,
  UpdateOptions,
  UrlExplanation,
} from './wiring/cycle-options.ts'
export type { FetchRunOptions } from './wiring/fetch-session.ts'
export type { FleetFetchOptions } from './wiring/fetch-with-fleet.ts'
export { Crawl, openCrawl } from './wiring/open-crawl.ts'
export type { RunWatcher } from './wiring/run-watcher.ts'
