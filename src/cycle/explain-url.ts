import type { CrawlDb } from '../crawldb/crawl-db.ts'
import type { CrawlRecord } from '../crawldb/crawl-record.ts'
import type { Inlink, LinkDb } from '../crawldb/link-db.ts'
import type { FetchRow } from '../segment/segment-rows.ts'
import type { LinkSource, SegmentStore } from '../segment/segment-store.ts'
import { CandidateUrl } from '../url/candidate-url.ts'
import type { NormalizedUrl, UrlNormalizer } from '../url/normalize-url.ts'
import type { DecidingFilter, FilterVerdict } from '../url/url-filter.ts'

export interface ExplainParts {
  readonly db: Pick<CrawlDb, 'find'>
  readonly links: Pick<LinkDb, 'inlinks'>
  readonly segments: Pick<SegmentStore, 'get' | 'linksTo'>
  readonly normalize: UrlNormalizer
  readonly filter: DecidingFilter
}

/** All that a crawl knows about one URL. */
export interface UrlStory {
  readonly input: string
  readonly normalized: NormalizedUrl
  readonly filter?: FilterVerdict
  /** Pages whose links led here, as the segments have them, oldest first; the first few. */
  readonly foundOn: readonly LinkSource[]
  /** What invertlinks gathered. */
  readonly inlinks: readonly Inlink[]
  readonly record?: CrawlRecord
  /** Each time it was on a fetch list or asked for, newest first. */
  readonly visits: ReadonlyArray<{
    readonly segment: string
    readonly listed: boolean
    readonly fetch?: FetchRow
  }>
}

const MAX_SOURCES = 20

/** Gathers where a URL was found, what decided about it, what came of it and when it is due. */
export async function explainUrl(parts: ExplainParts, input: string): Promise<UrlStory> {
  const normalized = parts.normalize(input)
  if (!normalized.ok) return { input, normalized, foundOn: [], inlinks: [], visits: [] }
  const { url } = normalized
  const record = await parts.db.find(url)
  const pages = await parts.segments.get(url)
  return {
    input,
    normalized,
    filter: parts.filter.judge(new CandidateUrl(url)),
    foundOn: await parts.segments.linksTo(url, MAX_SOURCES),
    inlinks: (await parts.links.inlinks(url)).slice(0, MAX_SOURCES),
    ...(record !== undefined && { record }),
    visits: pages.map(({ segment, entry, fetch }) => ({
      segment,
      listed: entry !== undefined,
      ...(fetch !== undefined && { fetch }),
    })),
  }
}
