import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CrawlDb, HostWait } from '../../domain/crawldb/crawl-db.ts'
import type { CrawlRecord } from '../../domain/crawldb/crawl-record.ts'
import type { Inlink, LinkDb } from '../../domain/crawldb/link-db.ts'
import type { NearPage, NoveltyReport } from '../../domain/novelty/novelty-report.ts'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import type { FetchRow } from '../../domain/segment/segment-rows.ts'
import type { LinkOrigin, LostLinks, SegmentStore } from '../../domain/segment/segment-store.ts'
import { CandidateUrl } from '../../domain/url/candidate-url.ts'
import { hostOf } from '../../domain/url/host-of.ts'
import type { NormalizedUrl, UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { DecidingFilter, FilterVerdict } from '../../domain/url/url-filter.ts'
import { findLostLinks, type LostLinkParts } from './find-lost-links.ts'

export interface ExplainParts extends LostLinkParts {
  readonly db: LostLinkParts['db'] & Pick<CrawlDb, 'hostWaits' | 'novelty' | 'nearPages'>
  readonly links: Pick<LinkDb, 'inlinks'>
  readonly segments: LostLinkParts['segments'] & Pick<SegmentStore, 'get' | 'linksTo'>
  readonly normalize: UrlNormalizer
  readonly filter: DecidingFilter
  /** Its `explain` gives the reasons for the time of the next fetch. @default none are given */
  readonly schedule?: FetchSchedule
  /** The wall clock. */
  readonly clock: Pick<Clock, 'now'>
}

/** All that a crawl knows about one URL. */
export interface UrlStory {
  readonly input: string
  readonly normalized: NormalizedUrl
  readonly filter?: FilterVerdict
  /** Pages with a link to the URL, from the segments, oldest first; the first few. */
  readonly foundOn: readonly LinkOrigin[]
  /** Inlinks from the inverted link index. */
  readonly inlinks: readonly Inlink[]
  readonly record?: CrawlRecord
  /** Why the schedule fetches it when it does; absent: the schedule gives no reasons. */
  readonly schedule?: readonly string[]
  /** For a URL that the filters accept, that is not in the CrawlDb and has no link that was kept. */
  readonly lost?: LostLinks
  /** The reason why its host must wait; absent: it may be requested now. */
  readonly hostWait?: HostWait
  /** What was learned about its URL pattern, if it was never fetched. */
  readonly novelty?: NoveltyReport
  /** The near-duplicates among which it is, the representative first. */
  readonly near?: readonly NearPage[]
  /** Its segments with the result of the fetch, newest first. */
  readonly fetches: ReadonlyArray<{
    readonly segment: string
    readonly listed: boolean
    readonly fetch?: FetchRow
  }>
}

const MAX_SOURCES = 20

/** Collects the sources of a URL, the decisions about it, its fetches and its due time. */
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
    ...(record !== undefined && withoutUndefined({ schedule: parts.schedule?.explain?.(record) })),
    ...(isLost && { lost: await findLostLinks(parts, url) }),
    ...withoutUndefined({ hostWait }),
    ...(await learned(parts, record)),
    fetches: pages.map(({ segment, entry, fetch }) => ({
      segment,
      listed: entry !== undefined,
      ...withoutUndefined({ fetch }),
    })),
  }
}

async function learned(
  { db }: ExplainParts,
  record: CrawlRecord | undefined,
): Promise<Pick<UrlStory, 'novelty' | 'near'>> {
  if (record === undefined) return {}
  if (record.lastFetchTime === 0) return { novelty: await db.novelty(record.url) }
  const near = await db.nearPages(record.url)
  return near.length === 0 ? {} : { near }
}
