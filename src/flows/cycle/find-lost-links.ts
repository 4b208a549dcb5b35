import { readDocument } from '../../domain/content/read-document.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { ParseRules } from '../../domain/parse/parse-rules.ts'
import { DEPTH_KEY } from '../../domain/scoring/depth-scoring.ts'
import type { DroppingPage, LostLinks, SegmentStore } from '../../domain/segment/segment-store.ts'

export interface LostLinkParts {
  readonly db: Pick<CrawlDb, 'find'>
  readonly segments: Pick<SegmentStore, 'dropping' | 'pages'>
  readonly rules: Pick<ParseRules, 'reading' | 'links'>
}

/** Reasons that depend on the page of the link. All others depend on the URL alone. */
const REASONS = [
  'links.maxOutlinks',
  'links.maxOutlinkLength',
  'links.ignoreInternal',
  'links.ignoreExternal',
  'filters.maxDepth',
  'scoring',
  'nofollow',
]

/** Parses the stored pages whose links were dropped again, without a limit on the number of links, and finds links to `url`. */
export async function findLostLinks(parts: LostLinkParts, url: string): Promise<LostLinks> {
  const { total, pages } = await parts.segments.dropping(REASONS, url, MAX_SEARCHED)
  const dropped: { fromUrl: string; segment: string; rule: string }[] = []
  const truncated: { url: string; segment: string; why: string }[] = []
  for (const page of pages) {
    const rule = await ruleAgainst(parts, page, url)
    const { segment } = page
    if (rule !== undefined) dropped.push({ fromUrl: page.url, segment, rule })
    else if (page.truncated !== undefined) truncated.push({ url: page.url, segment, why: page.truncated })
  }
  return { dropped, truncated, notSearched: total - pages.length }
}

const MAX_SEARCHED = 50

/** The rule that dropped a link of `page` to `url`; `undefined` if the page has no such link. */
async function ruleAgainst(
  { db, segments, rules }: LostLinkParts,
  page: DroppingPage,
  url: string,
): Promise<string | undefined> {
  const redirect = `redirects to ${url}: `
  if (page.reason?.startsWith(redirect)) return page.reason.slice(redirect.length)
  const content = await contentOf(segments, page)
  if (content === undefined) return undefined
  const { headers, body: bytes } = content
  const scan = { ...rules.reading.scan, maxLinks: Number.POSITIVE_INFINITY }
  const reading = await readDocument({ url: page.url, headers, bytes }, { ...rules.reading, scan })
  const link = reading.links.find((one) => one.url === url)
  if (link === undefined) return undefined
  if (!reading.followable) return 'nofollow: the page says that its links are not to be followed'
  if (link.rel.includes('nofollow')) return 'nofollow: rel="nofollow" of the link'
  const depth = Number.parseInt((await db.find(page.url))?.metadata[DEPTH_KEY] ?? '', 10)
  const verdict = rules.links.linksOf(page.url, Number.isNaN(depth) ? undefined : depth)(url)
  if (!verdict.kept) return verdict.rule
  // The present settings would keep the link: report the reasons that were recorded when the page was parsed.
  const recorded = REASONS.filter((reason) => page.dropped[reason] !== undefined)
  return recorded
    .map((reason) => `${reason}, which dropped ${page.dropped[reason]} of its ${reading.links.length} links`)
    .join(', or ')
}

async function contentOf(segments: Pick<SegmentStore, 'pages'>, { url, segment }: DroppingPage) {
  for await (const [page] of segments.pages([segment], { url, links: false })) return page?.content
  return undefined
}
