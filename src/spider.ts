/**
 * Spiders, what their handlers get, and how they are run.
 * @module orbweaver/spider
 */

export type { FeedFile, FeedFormat, FeedTarget, ItemWriter } from './adapters/feeds/feed-target.ts'
export type { FeedResult } from './adapters/feeds/item-feeds.ts'
export type { FeedOutput } from './adapters/feeds/output-feed.ts'
export type { Json, JsonObject } from './base/json.ts'
export type { WebFeed, WebFeedEntry } from './domain/content/feed-page.ts'
export type { PageContent, PageDescription } from './domain/extraction/page-content.ts'
export type { StructuredData } from './domain/extraction/structured-data.ts'
export type { BrowserPage } from './domain/fetch/browser-page.ts'
export type { RenderMode } from './domain/fetch/page-renderer.ts'
export type { FileContent } from './domain/files/file-store.ts'
export type { CrawlRequest } from './domain/frontier/crawl-request.ts'
export type { FleetCounts } from './domain/frontier/fleet.ts'
export type { FrontierOrder, Pending } from './domain/frontier/frontier.ts'
export type { LoggedItem } from './domain/frontier/item-log.ts'
export type { HostFailures, HostTime } from './domain/segment/host-tally.ts'
export type { FormFields } from './domain/selectors/form.ts'
export {
  type ExtractedLink,
  LinkExtractor,
  type LinkExtractorOptions,
  type LinkPattern,
  type LinkSource,
} from './domain/selectors/link-extractor.ts'
export type { Selection } from './domain/selectors/selection.ts'
export type { TextPattern } from './domain/selectors/text-pattern.ts'
export type { FileOptions, ItemFile } from './flows/spider/file-options.ts'
export { TooManyHandlerErrors } from './flows/spider/handler-errors.ts'
export type { Found, Page } from './flows/spider/handler-page.ts'
export {
  type Drop,
  drop,
  type RequestVerdict,
  type ResponseVerdict,
  type RetryLater,
  retryLater,
  type SpiderHook,
} from './flows/spider/hooks.ts'
export type { LinkRule } from './flows/spider/link-rule.ts'
export {
  type DownloadOptions,
  type DownloadOutput,
  type ItemOutput,
  type Output,
  type PlainItem,
  type RequestOutput,
  request,
} from './flows/spider/output.ts'
export type { HandlerRequest, RequestOptions } from './flows/spider/request-options.ts'
export type { RetryCounts, RetryOptions } from './flows/spider/retry-policy.ts'
export { LoginFailed } from './flows/spider/session-login.ts'
export type { LoginSession, SessionsOptions } from './flows/spider/session-options.ts'
export type { SitemapStart } from './flows/spider/sitemap-start.ts'
export type {
  ErrorHandler,
  Handler,
  HandlerOutput,
  HandlerResult,
  ItemSource,
  Outputs,
  Pipeline,
  RequestError,
  SpiderEnd,
  SpiderLimit,
  SpiderLimits,
  Start,
  StartList,
} from './flows/spider/spider-definition.ts'
export type { SpiderProgress } from './flows/spider/spider-progress.ts'
export type { RejectedExample, SpiderStats } from './flows/spider/spider-stats.ts'
export {
  type MetaInput,
  MetaInvalid,
  type MetaOf,
  type MetaSchemas,
  type NoMetas,
  type SchemaIssue,
  type SchemaVerdict,
  type StandardSchema,
} from './flows/spider/standard-schema.ts'
export { HandlerThreadEnded, TimeLimitExceeded } from './flows/spider/time-limit.ts'
export { type Spider, spider } from './wiring/define-spider.ts'
export type { SpiderArguments } from './wiring/load-spider-file.ts'
export { runSpider } from './wiring/run-spider.ts'
export type { RunSpiderOptions, SpiderResult, SpiderRun, StoredItem } from './wiring/run-spider-options.ts'
export { type TakeItemsOptions, takeItems } from './wiring/take-items.ts'
