import type { CandidateUrl } from './candidate-url.ts'

/** What decided, in words an operator can find again: `rules.txt:12 -\.gif$`, `scope: not a seed host`. */
export interface FilterVerdict {
  readonly accepted: boolean
  readonly rule: string
}

/** One opinion about URLs. Filters of your own implement this. */
export interface UrlFilter {
  readonly name: string
  /**
   * Asserts that the verdict depends on nothing but the URL: not on its depth, nor on the page it was found on. Verdicts on links, which most
   * pages of a site repeat, are then remembered.
   */
  readonly urlOnly?: true
  /** Asserts that it rejects no plain URL (plain-url.ts). */
  readonly acceptsPlain?: true
  /** `undefined`: no opinion. A throw is a bug, not a rejection: it passes through every chain. */
  judge(url: CandidateUrl): FilterVerdict | undefined
}

/** A filter that always has an opinion. */
export interface DecidingFilter extends UrlFilter {
  judge(url: CandidateUrl): FilterVerdict
}

/** Options of {@link filterChain}. */
export interface ChainOptions {
  /** What becomes of a URL that no filter has an opinion about. @default 'accept' */
  readonly otherwise?: 'accept' | 'reject'
}

/**
 * Filters in a row, as Nutch has them: a URL must pass all. The first rejection is final and names its rule; an
 * acceptance hands the URL to the next filter, so that `+.` at the end of a rule file does not switch off the limits
 * after it. An accepting verdict names the last filter that said yes.
 * @example
 * const filter = filterChain([denyDomains(['ads.example.org']), limitFilter({ maxLength: 200 })])
 * filter.judge(new CandidateUrl('https://ads.example.org/')).accepted // → false
 * filter.judge(new CandidateUrl('https://example.org/')).accepted // → true
 */
export function filterChain(filters: readonly UrlFilter[], options: ChainOptions = {}): DecidingFilter {
  const { otherwise = 'accept' } = options
  const unjudged: FilterVerdict = {
    accepted: otherwise === 'accept',
    rule: `no filter matched: ${otherwise}`,
  }
  return {
    name: 'chain',
    ...(filters.every(({ urlOnly }) => urlOnly) && { urlOnly: true }),
    ...(otherwise === 'accept' &&
      filters.every(({ acceptsPlain }) => acceptsPlain) && { acceptsPlain: true }),
    judge(url) {
      let accepted: FilterVerdict | undefined
      for (const filter of filters) {
        const verdict = filter.judge(url)
        if (verdict?.accepted === false) return verdict
        accepted = verdict ?? accepted
      }
      return accepted ?? unjudged
    },
  }
}

/**
 * Filters of which the first with an opinion decides, like the lines of a rule file. Put an exception before what it is
 * an exception to: `firstDecision([prefixes that are always wanted, trapFilter(…)])`, itself a member of a chain.
 * @example
 * const filter = firstDecision([allowDomains(['archive.example.org']), trapFilter(wallClock)])
 * filter.judge(new CandidateUrl('https://archive.example.org/a/a/a/a/a'))?.accepted // → true
 */
export function firstDecision(filters: readonly UrlFilter[]): UrlFilter {
  return {
    name: 'first decision',
    judge(url) {
      for (const filter of filters) {
        const verdict = filter.judge(url)
        if (verdict !== undefined) return verdict
      }
      return undefined
    },
  }
}
