/** `orbweaver`: everything; the subpaths `orbweaver/url`, `/robots`, `/page`, `/politeness` and `/http` load one part each. */
export { type Clock, steadyClock, wallClock } from './base/clock.ts'
export { ConfigurationError, CrawlError } from './base/crawl-error.ts'
export { type CheckParts, checkUrl, type UrlCheck } from './cycle/check-url.ts'
export * from './http.ts'
export * from './page.ts'
export * from './politeness.ts'
export * from './robots.ts'
export * from './url.ts'
