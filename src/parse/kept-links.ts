import type { PageReading } from '../page/page-reading.ts'
import { DEPTH_KEY } from '../score/depth-scoring.ts'
import type { ScoredPage } from '../score/scoring.ts'
import type { LinkRow } from '../segment/segment-rows.ts'
import type { ParseRules } from './parse-rules.ts'

/** The links of one page that are followed from now on. */
export interface KeptLinks {
  readonly links: readonly LinkRow[]
  /** The targets and anchors of the ordinary ones among them, by position. */
  readonly outlinks: readonly string[]
  readonly anchors: readonly string[]
  readonly scoreGiven: number
  readonly refreshTo?: string
}

const NONE: KeptLinks = { links: [], outlinks: [], anchors: [], scoreGiven: 0 }

/** Judges the links of a page and shares its worth among those that are kept. A page that says nofollow leads nowhere. */
export function keptLinks(
  { url, score, metadata }: ScoredPage,
  reading: PageReading,
  rules: ParseRules,
): KeptLinks {
  if (!reading.followable) return NONE
  const candidates = judged({ url, score, metadata }, reading, rules)
  const contributions = rules.scoring.distribute({ url, score, metadata }, candidates, reading.links.length)
  const links: LinkRow[] = []
  const outlinks: string[] = []
  const anchors: string[] = []
  let scoreGiven = 0
  const refreshTo = refreshTarget(url, reading, rules)
  // It takes the place of this page, so it has the standing of this page.
  if (refreshTo !== undefined) links.push({ fromUrl: url, url: refreshTo, kind: 'refresh', score, metadata })
  for (const [i, link] of candidates.entries()) {
    const contribution = contributions[i]
    if (contribution === undefined) continue
    links.push({ ...contribution, fromUrl: url, url: link.url, kind: 'link' })
    outlinks.push(link.url)
    anchors.push(link.anchor)
    scoreGiven += contribution.score
  }
  return { links, outlinks, anchors, scoreGiven, ...(refreshTo !== undefined && { refreshTo }) }
}

interface Candidate {
  readonly url: string
  readonly internal: boolean
  readonly anchor: string
}

function judged(
  { url: pageUrl, metadata }: ScoredPage,
  reading: PageReading,
  rules: ParseRules,
): Candidate[] {
  // A seed has depth 1, and so its links are one link away from it.
  const depth = Number.parseInt(metadata[DEPTH_KEY] ?? '', 10)
  const judge = rules.links.linksOf(pageUrl, Number.isNaN(depth) ? undefined : depth)
  const candidates: Candidate[] = []
  for (const link of reading.links) {
    if (candidates.length >= rules.links.maxOutlinks) break
    if (link.rel.includes('nofollow')) continue
    const verdict = judge(link.url)
    if (verdict.kept) candidates.push({ url: link.url, internal: verdict.internal, anchor: link.anchor })
  }
  return candidates
}

function refreshTarget(pageUrl: string, { refresh }: PageReading, rules: ParseRules): string | undefined {
  return refresh !== undefined && rules.links.redirectsOf(pageUrl)(refresh.url).kept ? refresh.url : undefined
}
