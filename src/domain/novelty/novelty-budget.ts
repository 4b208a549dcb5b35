import { expectedValue, type HostEvidence, noEvidence, type PatternEvidence } from './pattern-evidence.ts'

/** The limits of the novelty budget. */
export interface NoveltyLimits {
  /** Pages of a pattern that are fetched before it is judged. */
  readonly trialPages: number
  /** Expected value of a page from which its pattern is not limited, from 0 to 1. */
  readonly enough: number
  /** Pages of other patterns that a host gets for each page's worth of new content. */
  readonly perNovelPage: number
  /** Pages of other patterns that every host gets. */
  readonly basePages: number
  /** Days after which one more page of a pattern that is held back is tried. */
  readonly retryDays: number
}

export const DEFAULT_NOVELTY_LIMITS: NoveltyLimits = {
  trialPages: 5,
  enough: 0.4,
  perNovelPage: 0.5,
  basePages: 60,
  retryDays: 1,
}

/** Decides how many URLs of a pattern a fetch list may have. */
export type NoveltyRule = (
  pattern: PatternEvidence,
  host: HostEvidence & {
    /** Pages that the host has left for patterns that bring little. */
    readonly allowance: number
  },
) => number

/** A pattern that is known to bring content may grow by this factor from list to list, so that a change is noticed. */
const GROWTH = 2
/** Pages of a pattern when it is held back for the first time, as a share of the pages' worth of new content that it has brought. */
const LAST_SHARE = 0.1
/** Pages of a pattern without a query on its first list, and of one that brings content. */
const FIRST_PATH_PAGES = 30

/** The URLs of one fetch list that the novelty budget admits. */
export class NoveltyBudget {
  readonly #limits: NoveltyLimits
  readonly #rule: NoveltyRule | undefined
  readonly #now: number
  readonly #patterns: ReadonlyMap<string, PatternEvidence>
  readonly #hosts: ReadonlyMap<string, HostEvidence>
  /** Pages that a host may spend on patterns that bring little, and have not. */
  readonly #allowances = new Map<string, number>()
  readonly #quotas = new Map<string, Quota>()
  /** URLs of a pattern on open lists. */
  readonly #pending = new Map<string, number>()
  readonly #held = new Map<string, number>()
  readonly #explored = new Set<string>()

  constructor(
    evidence: { readonly patterns: Iterable<PatternEvidence>; readonly hosts: Iterable<HostEvidence> },
    limits: NoveltyLimits,
    now: number,
    rule?: NoveltyRule,
  ) {
    this.#patterns = new Map(Array.from(evidence.patterns, (one) => [one.pattern, one]))
    this.#hosts = new Map(Array.from(evidence.hosts, (one) => [one.host, one]))
    this.#limits = limits
    this.#now = now
    this.#rule = rule
    const { perNovelPage, basePages } = limits
    for (const { host, novelty } of this.#hosts.values())
      this.#allowances.set(host, basePages + perNovelPage * novelty)
    for (const one of this.#patterns.values()) this.#spend(hostOfPattern(one.pattern), wasted(one, limits))
  }

  /** Counts a URL that an open list has already. */
  addPending(pattern: string): void {
    this.#pending.set(pattern, (this.#pending.get(pattern) ?? 0) + 1)
    if (!this.#isFree(this.#evidenceOf(pattern))) this.#spend(hostOfPattern(pattern), 1)
  }

  /** Whether the fetch list takes one more URL of the pattern. Refused URLs are counted as held. */
  admits(pattern: string): boolean {
    const quota = this.#quotas.get(pattern) ?? this.#quota(pattern)
    this.#quotas.set(pattern, quota)
    const host = hostOfPattern(pattern)
    const isAdmitted = quota.left >= 1 && (!quota.isCharged || this.#allowanceOf(host) >= 1)
    if (isAdmitted) {
      quota.left--
      if (quota.isCharged) this.#spend(host, 1)
    } else this.#held.set(pattern, (this.#held.get(pattern) ?? 0) + 1)
    return isAdmitted
  }

  /** Number of refused URLs by pattern. */
  get held(): ReadonlyMap<string, number> {
    return this.#held
  }

  /** Patterns whose days until they are tried again begin now: they are held back for the first time, or one URL was admitted. */
  get explored(): ReadonlySet<string> {
    return this.#explored
  }

  /** URLs of a pattern on this list; computed when its first URL comes. */
  #quota(pattern: string): Quota {
    const evidence = this.#evidenceOf(pattern)
    const host = hostOfPattern(pattern)
    const allowance = this.#allowanceOf(host)
    const pending = this.#pending.get(pattern) ?? 0
    if (evidence.released) return uncharged(Number.POSITIVE_INFINITY)
    if (this.#rule !== undefined) {
      const totals = this.#hosts.get(host) ?? { host, fetched: 0, novelty: 0 }
      return uncharged(this.#rule(evidence, { ...totals, allowance }) - pending)
    }
    const { trialPages, retryDays } = this.#limits
    const known = evidence.fetched + pending
    if (this.#isFree(evidence))
      return uncharged(Math.max(trialSize(pattern, evidence, trialPages), GROWTH * known) - pending)
    // The share of a pattern follows its value, and leaves the rest to others.
    const wanted = isJudged(evidence, this.#limits)
      ? Math.floor(Math.min(evidence.fetched, (allowance * expectedValue(evidence)) / 2)) - pending
      : trialSize(pattern, evidence, trialPages) - known
    // Charged page by page: most patterns have fewer URLs than they may have, and what one does not use is for the others.
    if ((wanted >= 1 && allowance >= 1) || pending > 0) return { left: wanted, isCharged: true }
    const isDue = this.#now - evidence.exploredAt >= retryDays * DAY_MS
    if (isDue) this.#explored.add(pattern)
    // The days count from when it was first held back. A site that ends has often little left then, which is not worth a loss.
    if (evidence.exploredAt === 0) return uncharged(Math.floor(evidence.value * LAST_SHARE))
    return uncharged(isDue ? 1 : 0)
  }

  /** Whether a pattern is known to bring content; a few pages suffice if they are mostly new. */
  #isFree(evidence: PatternEvidence): boolean {
    const { trialPages, enough } = this.#limits
    const value = expectedValue(evidence)
    return (
      (evidence.fetched >= trialPages && value >= enough) ||
      (evidence.fetched >= SHORT_TRIAL && value >= Math.max(enough, MOSTLY_NEW))
    )
  }

  #evidenceOf(pattern: string): PatternEvidence {
    return this.#patterns.get(pattern) ?? noEvidence(pattern)
  }

  #allowanceOf(host: string): number {
    return this.#allowances.get(host) ?? this.#limits.basePages
  }

  #spend(host: string, pages: number): void {
    this.#allowances.set(host, this.#allowanceOf(host) - pages)
  }
}

/** URLs of a pattern on one fetch list. */
interface Quota {
  left: number
  /** Each URL takes a page of the allowance of its host. */
  readonly isCharged: boolean
}

function uncharged(left: number): Quota {
  return { left, isCharged: false }
}

const DAY_MS = 86_400_000

const MOSTLY_NEW = 0.5
/** Pages after which a pattern that brought next to nothing is judged. */
const SHORT_TRIAL = 2

/** Whether enough pages of a pattern were fetched to judge it. */
function isJudged({ fetched, value }: PatternEvidence, { trialPages, enough }: NoveltyLimits): boolean {
  return fetched >= trialPages || (fetched >= SHORT_TRIAL && value / fetched < enough / 2)
}

/** Pages of a pattern that is on trial. Most patterns without a query are plain pages. */
function trialSize(pattern: string, { fetched }: PatternEvidence, trialPages: number): number {
  if (!pattern.includes('?')) return FIRST_PATH_PAGES
  return fetched < SHORT_TRIAL ? Math.min(SHORT_TRIAL, trialPages) : trialPages
}

/** Fetched pages of a pattern that brought nothing. */
function wasted(evidence: PatternEvidence, { enough }: NoveltyLimits): number {
  if (evidence.released || expectedValue(evidence) >= enough) return 0
  return evidence.fetched - evidence.value
}

/** Host with port: the unit of the budget. */
export function hostOfPattern(pattern: string): string {
  const end = pattern.search(/[/?]/)
  return end === -1 ? pattern : pattern.slice(0, end)
}
