import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlDb, HostWait } from '../../domain/crawldb/crawl-db.ts'
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import type { Inlink, LinkDb } from '../../domain/crawldb/link-db.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'
import type { LinkOrigin, LostLinks, SegmentStore } from '../../domain/segment/segment-store.ts'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import type { NormalizedUrl, UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { DecidingFilter, FilterVerdict } from '../../domain/url/url-filter.ts'
import { findLostLinks, type LostLinkParts } from './find-lost-links.ts'

export interface ExplainParts extends LostLinkParts {
  readonly db: LostLinkParts['db'] & Pick<CrawlDb, 'hostWaits'>
  readonly links: Pick<LinkDb, 'inlinks'>
  readonly segments: LostLinkParts['segments'] & Pick<SegmentStore, 'get' | 'linksTo'>
  readonly normalize: UrlNormalizer
  readonly filter: DecidingFilter
  /** The time of day. */
  readonly clock: Pick<Clock, 'now'>
}

/** All that a crawl knows about one URL. */
export interface UrlStory {
  readonly input: string
  readonly normalized: NormalizedUrl
  readonly filter?: FilterVerdict
  /** Pages whose links led here, as the segments have them, oldest first; the first few. */
  readonly foundOn: readonly LinkOrigin[]
  /** What invertlinks gathered. */
  readonly inlinks: readonly Inlink[]
  readonly record?: CrawlRecord
  /** Of a URL that passes the filters, is not in the CrawlDb, and that no kept link leads to. */
  readonly lost?: LostLinks
  /** Why its host is not requested now; absent: it may be. */
  readonly hostWait?: HostWait
  /** Its segments with the result of the fetch, newest first. */
  readonly fetches: ReadonlyArray<{
    readonly segment: string
    readonly listed: boolean
    readonly fetch?: FetchRow
  }>
}

const MAX_SOURCES = 20

/** Gathers where a URL was found, what decided about it, what came of it and when it is due. */
export async function explainUrl(parts: ExplainParts, input: string): Promise<UrlStory> {
  const normalized = parts.normalize(input)
  if (!normalized.ok) return { input, normalized, foundOn: [], inlinks: [], fetches: [] }
  const { url } = normalized
  const record = await parts.db.find(url)
  const pages = await parts.segments.get(url)
  const filter = parts.filter.judge(new CandidateUrl(url))
  const foundOn = await parts.segments.linksTo(url, MAX_SOURCES)
  const isLost = record === undefined && foundOn.length === 0 && filter.accepted
  const [hostWait] = (await parts.db.hostWaits(parts.clock.now(), hostOf(url))).first
  return {
    input,
    normalized,
    filter,
    foundOn,
    inlinks: (await parts.links.inlinks(url)).slice(0, MAX_SOURCES),
    ...withoutUndefined({ record }),
    ...(isLost && { lost: await findLostLinks(parts, url) }),
    ...withoutUndefined({ hostWait }),
    fetches: pages.map(({ segment, entry, fetch }) => ({
      segment,
      listed: entry !== undefined,
      ...withoutUndefined({ fetch }),
    })),
  }
}
