import { DropCounter, type DropCounts, dropReason } from '../../base/drop-counts.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { LinkListing, PageLink, PageReading } from '../content/page-reading.ts'
import { OVER_LIMIT } from '../content/parse-sitemap.ts'
import { listedMetadata, SITEMAP_KEY, SITEMAP_PRIORITY } from '../schedule/listed-page.ts'
import { DEPTH_KEY } from '../scoring/depth-scoring.ts'
import type { LinkContribution, ScoredPage } from '../scoring/scoring.ts'
import type { LinkRow } from '../segment/segment-rows.ts'
import { SELF_LINK } from './link-policy.ts'
import type { ParseRules } from './parse-rules.ts'

/** The links of one page that are kept. */
export interface KeptLinks {
  readonly links: readonly LinkRow[]
  /** Targets and anchor texts of the ordinary links, by position. */
  readonly outlinks: readonly string[]
  readonly anchors: readonly string[]
  readonly scoreGiven: number
  readonly refreshTo?: string
  /** Links that were not kept, by reason. */
  readonly dropped: DropCounts
}

/**
 * Applies the link policy to the links of a page and shares its score among the kept ones. Links of a nofollow page are dropped.
 * @param siteLinks links of the site that were found with the page, such as its sitemaps; nofollow does not apply to them
 */
export function keptLinks(
  { url, score, metadata }: ScoredPage,
  reading: PageReading,
  rules: ParseRules,
  siteLinks: readonly PageLink[] = [],
): KeptLinks {
  const drops = new DropCounter(MAX_REASONS_PER_PAGE)
  const { followable } = reading
  if (!followable && reading.links.length > 0) drops.add(NOFOLLOW, reading.links.length)
  if (followable) countUnusable(reading, drops)
  const found = siteLinks.length === 0 ? reading.links : [...siteLinks, ...reading.links]
  const followed = followable ? found : siteLinks
  const page = linkSource({ url, score, metadata })
  const candidates = judged(page, followed, rules, drops)
  const contributions = rules.scoring.distribute(page, candidates, followed.length)
  const links: LinkRow[] = []
  const outlinks: string[] = []
  const anchors: string[] = []
  let scoreGiven = 0
  const refreshTo = followable ? refreshTarget(url, reading, rules) : undefined
  // It takes the place of this page, so it has the standing of this page.
  if (refreshTo !== undefined) links.push({ fromUrl: url, url: refreshTo, kind: 'refresh', score, metadata })
  for (let i = 0; i < candidates.length; i++) {
    const [link, contribution] = [candidates[i], contributions[i]]
    if (link === undefined || contribution === undefined) {
      drops.add(SCORING)
      continue
    }
    const { listed } = link
    const hints = rules.scheduleHints === true && listed !== undefined ? listedMetadata(listed) : undefined
    links.push(linkRow(url, link.url, contribution, hints))
    outlinks.push(link.url)
    anchors.push(link.anchor)
    scoreGiven += contribution.score
  }
  return {
    links,
    outlinks,
    anchors,
    scoreGiven,
    ...withoutUndefined({ refreshTo }),
    dropped: drops.counts(),
  }
}

/** Nearly all links have a score and nothing else, and pages have hundreds of them: no copies of parts. */
function linkRow(
  fromUrl: string,
  url: string,
  { score, depth, maxDepth }: LinkContribution,
  metadata: LinkRow['metadata'],
): LinkRow {
  if (depth === undefined && maxDepth === undefined && metadata === undefined)
    return { fromUrl, url, kind: 'link', score }
  return { fromUrl, url, kind: 'link', score, ...withoutUndefined({ depth, maxDepth, metadata }) }
}

const MAX_OUTLINKS = 'links.maxOutlinks'
const NOFOLLOW = 'nofollow'
/** `scoring.depth.maxDepth`, the depth limit of a seed, or a user-defined scoring. */
const SCORING = 'scoring'
const MAX_REASONS_PER_PAGE = 20

/** Reasons of `rejectedLinks` for links that are not valid HTTP URLs. */
const INVALID = ['unparsable', 'host', 'not-absolute']

/** Counts the links that the page reader rejected. Links that do not lead to a page (`mailto:`, `#top`) are not counted. */
function countUnusable({ rejectedLinks }: PageReading, drops: DropCounter): void {
  const overLimit = rejectedLinks[OVER_LIMIT]
  const tooLong = rejectedLinks['too-long']
  const rewritten = rejectedLinks['rewrite']
  const unusable = INVALID.reduce((sum, reason) => sum + (rejectedLinks[reason] ?? 0), 0)
  if (overLimit !== undefined) drops.add(MAX_OUTLINKS, overLimit)
  if (tooLong !== undefined) drops.add('normalizer.maxLength', tooLong)
  if (unusable > 0) drops.add('invalid URL', unusable)
  if (rewritten !== undefined) drops.add('normalizer rules', rewritten)
}

interface Candidate {
  readonly url: string
  readonly internal: boolean
  readonly anchor: string
  readonly listed?: LinkListing
}

/**
 * The page as the source of links. Pages that a sitemap lists are as near as the pages that a seed links to, however the sitemap was found,
 * and get no part of its priority.
 */
function linkSource({ url, score, metadata }: ScoredPage): ScoredPage {
  if (metadata[SITEMAP_KEY] === undefined) return { url, score, metadata }
  const { [DEPTH_KEY]: _, ...others } = metadata
  return { url, score: Math.max(0, score - SITEMAP_PRIORITY), metadata: others }
}

function judged(
  { url: pageUrl, metadata }: ScoredPage,
  links: readonly PageLink[],
  rules: ParseRules,
  drops: DropCounter,
): Candidate[] {
  // A seed has depth 1, so the depth of a page equals the number of links between the seed and its targets.
  const depth = Number.parseInt(metadata[DEPTH_KEY] ?? '', 10)
  const judge = rules.links.linksOf(pageUrl, Number.isNaN(depth) ? undefined : depth)
  const candidates: Candidate[] = []
  for (const link of links) {
    const verdict = link.rel.includes('nofollow') ? NOFOLLOWED : judge(link.url)
    if (!verdict.kept) {
      if (verdict.rule !== SELF_LINK) drops.add(dropReason(verdict.rule))
    } else if (candidates.length >= rules.links.maxOutlinks) drops.add(MAX_OUTLINKS)
    else candidates.push(candidate(link, verdict.internal))
  }
  return candidates
}

function candidate({ url, anchor, listed }: PageLink, internal: boolean): Candidate {
  return listed === undefined ? { url, internal, anchor } : { url, internal, anchor, listed }
}

const NOFOLLOWED = { kept: false, rule: NOFOLLOW } as const

function refreshTarget(pageUrl: string, { refresh }: PageReading, rules: ParseRules): string | undefined {
  return refresh !== undefined && rules.links.redirectsOf(pageUrl)(refresh.url).kept ? refresh.url : undefined
}
