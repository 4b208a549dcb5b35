import { DEFAULT_MAX_LINKS } from '../../domain/content/format-reader.ts'
import { isLlmsTxt, markdownLinks } from '../../domain/content/markdown-links.ts'
import {
  MAX_SITEMAP_DEPTH,
  OVER_LIMIT,
  parseSitemap,
  type SitemapEntry,
} from '../../domain/content/parse-sitemap.ts'
import { parseRobots } from '../../domain/robots/parse-robots.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { Page } from './handler-page.ts'
import { RequestOutput } from './output.ts'

/**
 * Sitemaps to start from, and the handlers of their URLs: Scrapy's SitemapSpider.
 * @example
 * ```ts
 * sitemap: { urls: ['https://quotes.example/robots.txt'], rules: [{ match: /\/page\//, handler: 'parse' }] },
 * ```
 */
export interface SitemapStart<Names extends string> {
  /** URLs of sitemaps, sitemap indexes, robots.txt files that list them, or llms.txt files, whose links are the pages. */
  readonly urls: readonly string[]
  /** The first rule whose pattern matches sets the handler; URLs that match no rule are skipped. @default all go to `parse` */
  readonly rules?: ReadonlyArray<{ readonly match: RegExp; readonly handler?: Names }>
  /** Sitemaps of an index to read. @default all */
  readonly follow?: RegExp
  /** Entries with an older modification date are skipped: a date or ms since the epoch. */
  readonly changedSince?: Date | number
}

/** The handler of sitemaps themselves. */
export const SITEMAP_HANDLER = '$sitemap'
/** How deep in indexes a sitemap is; 1: it was named by the user or by robots.txt. */
const LEVEL_KEY = '$level'

export function* sitemapRequests({ urls }: SitemapStart<string>): Generator<RequestOutput> {
  for (const url of urls) yield new RequestOutput(url, { handler: SITEMAP_HANDLER, priority: 1 })
}

/** Requests for the URLs of a sitemap or a robots.txt. `onRejected` is called for each entry that is not a URL. */
export function* readSitemap(
  page: Page,
  start: SitemapStart<string>,
  normalize: UrlNormalizer,
  onRejected: () => void,
): Generator<RequestOutput> {
  if (new URL(page.url).pathname === '/robots.txt') {
    for (const url of parseRobots(page.bytes).rulesFor('*').sitemaps) yield sitemap(page, url, 1)
    return
  }
  if (isLlmsTxt(page.url)) {
    yield* readLlmsTxt(page, start)
    return
  }
  const { pages, sitemaps, rejected } = parseSitemap(page.bytes, {
    url: page.url,
    normalize,
    maxEntries: DEFAULT_MAX_LINKS,
  })
  const { [OVER_LIMIT]: overLimit = 0, ...unusable } = rejected
  page.linksOverLimit += overLimit
  for (const count of Object.values(unusable)) for (let i = 0; i < count; i++) onRejected()
  const level = levelOf(page)
  if (level >= MAX_SITEMAP_DEPTH) page.linksOverLimit += sitemaps.length
  for (const entry of level < MAX_SITEMAP_DEPTH ? sitemaps : [])
    if ((start.follow === undefined || matches(entry.url, start.follow)) && isRecent(entry, start))
      yield sitemap(page, entry.url, level + 1)
  for (const entry of pages) {
    if (!isRecent(entry, start)) continue
    const request = pageRequest(page, entry.url, start)
    if (request !== undefined) yield request
  }
}

/** A request for the handler of the first rule that matches; `undefined` if none does. */
function pageRequest(page: Page, url: string, { rules }: SitemapStart<string>): RequestOutput | undefined {
  const rule = rules?.find(({ match }) => matches(url, match))
  if (rule === undefined && rules !== undefined) return undefined
  return page.follow(url, { handler: rule?.handler ?? 'parse' })
}

/** The links of an llms.txt are pages; one to an llms-full.txt is read like it. */
function* readLlmsTxt(page: Page, start: SitemapStart<string>): Generator<RequestOutput> {
  const found = new Set(markdownLinks(page.body).flatMap(({ href }) => URL.parse(href, page.url)?.href ?? []))
  page.linksOverLimit += Math.max(0, found.size - DEFAULT_MAX_LINKS)
  const level = levelOf(page)
  for (const url of [...found].slice(0, DEFAULT_MAX_LINKS)) {
    const isFile = isLlmsTxt(url) && level < MAX_SITEMAP_DEPTH
    const request = isFile ? sitemap(page, url, level + 1) : pageRequest(page, url, start)
    if (request !== undefined) yield request
  }
}

function levelOf({ request }: Page): number {
  const level = request.meta?.[LEVEL_KEY]
  return typeof level === 'number' ? level : 1
}

function sitemap(page: Page, url: string, level: number): RequestOutput {
  return page.follow(url, { handler: SITEMAP_HANDLER, priority: 1, meta: { [LEVEL_KEY]: level } })
}

/** Not `test`, which is stateful for patterns with the flag g. */
function matches(url: string, pattern: RegExp): boolean {
  return url.search(pattern) >= 0
}

function isRecent({ lastModified }: SitemapEntry, { changedSince }: SitemapStart<string>): boolean {
  return changedSince === undefined || lastModified === undefined || lastModified >= Number(changedSince)
}
