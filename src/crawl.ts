/**
 * The crawl cycle for programs. `openCrawl` opens a crawl directory; its methods are the steps of the cycle.
 * @module orbweaver/crawl
 */

export {
  CrawlDirectoryLocked,
  CrawlDirectoryMissing,
} from './adapters/crawl-directory/crawl-directory-error.ts'
export { IndexMissing } from './adapters/sqlite-index/index-file.ts'
export type { TextPart } from './adapters/sqlite-index/make-snippet.ts'
export type { ResultLink, SearchHit } from './adapters/sqlite-index/read-hits.ts'
export type { DropCounts } from './base/drop-counts.ts'
export type { CrawlEvent, EventLog } from './base/event-log.ts'
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
export type { CrawlDbStats, HostWait, HostWaits, MergedRecords, Spread } from './domain/crawldb/crawl-db.ts'
export type { DedupResult } from './domain/crawldb/crawl-db-requests.ts'
export type { CrawlRecord, LastOutcome } from './domain/crawldb/crawl-record.ts'
export type { DbStatus } from './domain/crawldb/crawl-status.ts'
export type { DuplicateRule } from './domain/crawldb/duplicate-order.ts'
export type { HostChoice, PurgeResult } from './domain/crawldb/host-db.ts'
export type { Inlink, InvertResult } from './domain/crawldb/link-db.ts'
export type { GraphResult, RankUnit } from './domain/crawldb/web-graph.ts'
export type {
  ObservedLimits,
  ObservedRequest,
  ObservedRobots,
  RequestObserver,
  RequestPurpose,
  UnsentRequest,
} from './domain/fetch/request-observer.ts'
export type { UnindexedReason } from './domain/indexing/make-document.ts'
export type { LiveCrawl } from './domain/live/live-crawl.ts'
export type {
  HostList,
  HostQuery,
  LiveAction,
  LiveActionResult,
  LiveFailure,
  LiveFleet,
  LiveHistogram,
  LiveHost,
  LiveItem,
  LiveItems,
  LivePoint,
  LiveProcess,
  LiveRates,
  LiveRejectedItem,
  LiveReport,
  LiveRound,
  LiveSeries,
  LiveState,
  LiveTotals,
  LiveWorker,
} from './domain/live/live-report.ts'
export type { ParameterEvidence } from './domain/novelty/ignored-parameter.ts'
export type { NearPage, NoveltyReport } from './domain/novelty/novelty-report.ts'
export type { PatternEvidence } from './domain/novelty/pattern-evidence.ts'
export type { DelaySource } from './domain/politeness/host-throttle.ts'
export type { RenderCounts } from './domain/politeness/rendering-fetcher.ts'
export type { AiUsePreferences } from './domain/robots/ai-use.ts'
export type { RobotsFailure, RobotsState } from './domain/robots/robots-cache.ts'
export type { FailureExample, FetchFailure } from './domain/segment/fetch-failure.ts'
export type { HostFigures } from './domain/segment/host-tally.ts'
export type { FetchRow, FetchRowStatus } from './domain/segment/segment-rows.ts'
export type { LinkOrigin, LostLinks } from './domain/segment/segment-store.ts'
export type { CertifyOptions } from './flows/cycle/certify.ts'
export type { CrawlResult, CrawlStopReason, RoundReport } from './flows/cycle/crawl-rounds.ts'
export type { LimitReached } from './flows/cycle/fetch-monitor.ts'
export type { FetchProgress } from './flows/cycle/fetch-progress.ts'
export type { FetchResult } from './flows/cycle/fetch-result.ts'
export type { TargetResult } from './flows/cycle/index-pages.ts'
export type { InjectSummary } from './flows/cycle/inject.ts'
export type { OfferProgress } from './flows/cycle/offer-segment.ts'
export type { ParseResult } from './flows/cycle/parse-segment.ts'
export type { SeedProblem } from './flows/cycle/read-seeds.ts'
export { CrawlUnusable, type CrawlUnusableCode } from './wiring/crawl-operations.ts'
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
  MergeLinkDbOptions,
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
export type { BuildGraphOptions, RankedLinks, RankLinksOptions } from './wiring/graph-steps.ts'
export { Crawl, openCrawl } from './wiring/open-crawl.ts'
export type { LogSettings } from './wiring/run-log.ts'
export type { RunWatcher } from './wiring/run-watcher.ts'
export type { UpdatedHosts, UpdateHostsOptions } from './wiring/update-hosts.ts'
