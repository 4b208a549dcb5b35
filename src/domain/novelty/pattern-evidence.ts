/** What the fetches of a URL pattern have brought. */
export interface PatternEvidence {
  readonly pattern: string
  /** Pages fetched for the first time. */
  readonly fetched: number
  /** Sum of their novelty: for each page, the share of its phrases that its host did not have before. */
  readonly novelty: number
  /** Sum of their value: novelty, or the new links to patterns that bring new content. */
  readonly value: number
  /** The same sums over about the last `MEMORY` pages, in which new pages count more. */
  readonly recentFetched: number
  readonly recentValue: number
  /** Its URLs are fetched whatever they bring. */
  readonly released: boolean
  /** Due URLs that the last fetch list did not take. */
  readonly held: number
  /** When the pattern was first held back, or a URL of it was tried since (ms since the epoch); 0: never. */
  readonly exploredAt: number
}

/** What all fetches of a host have brought. */
export interface HostEvidence {
  readonly host: string
  readonly fetched: number
  readonly novelty: number
}

/** One page that was fetched for the first time. */
export interface PageEvidence {
  /** From 0 to 1. */
  readonly novelty: number
  /** Number of new URLs it led to that belong to patterns which bring new content. */
  readonly leads: number
}

/** Pages after which earlier ones count half. */
const MEMORY = 50
/** New URLs with which a page is worth as much as one that is entirely new. */
const LEADS_OF_FULL_VALUE = 4

export function noEvidence(pattern: string): PatternEvidence {
  return {
    ...{ pattern, fetched: 0, novelty: 0, value: 0, recentFetched: 0, recentValue: 0 },
    ...{ released: false, held: 0, exploredAt: 0 },
  }
}

export function addPage(evidence: PatternEvidence, { novelty, leads }: PageEvidence): PatternEvidence {
  const value = Math.min(1, Math.max(novelty, leads / LEADS_OF_FULL_VALUE))
  const keep = evidence.recentFetched >= MEMORY ? 0.5 : 1
  return {
    ...evidence,
    fetched: evidence.fetched + 1,
    novelty: evidence.novelty + novelty,
    value: evidence.value + value,
    recentFetched: evidence.recentFetched * keep + 1,
    recentValue: evidence.recentValue * keep + value,
  }
}

/** The evidence of two patterns that have become one. */
export function joinEvidence(a: PatternEvidence, b: PatternEvidence): PatternEvidence {
  return {
    pattern: a.pattern,
    fetched: a.fetched + b.fetched,
    novelty: a.novelty + b.novelty,
    value: a.value + b.value,
    recentFetched: a.recentFetched + b.recentFetched,
    recentValue: a.recentValue + b.recentValue,
    released: a.released || b.released,
    held: a.held + b.held,
    exploredAt: Math.max(a.exploredAt, b.exploredAt),
  }
}

/** The expected value of the next page, from 0 to 1. Without evidence it is a half, so that a pattern is tried. */
export function expectedValue({ recentFetched, recentValue }: PatternEvidence): number {
  return (recentValue + PRIOR) / (recentFetched + 2 * PRIOR)
}

const PRIOR = 0.5
