/**
 * The crawl cycle (`openCrawl`), spiders (`spider`, `runSpider`), configuration files (`defineConfig`) and the errors of all
 * of them. The parts of the crawler have modules of their own: `orbweaver/url`, `/robots`, `/page`, `/politeness` and `/http`.
 *
 * Durations in options are in seconds and say so in their names (`…Seconds`). Results have durations in
 * milliseconds (`…Ms`) and times in milliseconds since the epoch (`…At`).
 * @module orbweaver
 */
export { type ConfigurationCode, ConfigurationError, CrawlError } from './base/crawl-error.ts'
export * from './config.ts'
export * from './crawl.ts'
export * from './spider.ts'
