/** The score and depth that one link passes to its target. */
export interface LinkContribution {
  readonly score: number
  /** Depth of the target: links from a seed, which has depth 1. Absent when depth is not counted. */
  readonly depth?: number
  /** The depth limit of the seed, if it has one of its own. */
  readonly maxDepth?: number
}

/**
 * The sum of all links to one page in one update. The database computes it as `sum(score)`, `count(*)`, `min(depth)` and the largest `max_depth`
 * among the links of that depth.
 */
export interface InlinkSum {
  readonly scoreSum: number
  readonly count: number
  readonly minDepth?: number
  /** The limit that came with `minDepth`. */
  readonly maxDepth?: number
}

export const NO_INLINKS: InlinkSum = { scoreSum: 0, count: 0 }

/** The part of a page that a scoring rule may change. */
export interface Standing {
  readonly score: number
  readonly metadata: Readonly<Record<string, string>>
}

/** A page as a scoring rule sees it. */
export interface ScoredPage extends Standing {
  readonly url: string
}

/** A link that passed the filters. */
export interface KeptLink {
  readonly url: string
  /** Whether it stays on the host of the page. */
  readonly internal: boolean
}

/** How a page was discovered. A redirect target gets the score and metadata of the redirecting page. */
export type Discovery = 'link' | 'redirect'

/**
 * Ranks pages for fetching and distributes scores along links. Any object of this shape can replace it.
 *
 * A scoring rule is a pure function of its arguments. A returned `Standing` includes the values that the rule does not change.
 */
export interface Scoring {
  /**
   * Asserts that `sortValue` is the score times the value, and that `update` of a page that was not fetched adds `scoreSum` to the score and changes
   * nothing else. The database then sorts and updates in bulk without calling either.
   */
  readonly plain?: true

  /** Asserts that `injected` does not depend on the URL. Seeds whose lines have nothing but a URL are then added in bulk. */
  readonly seedsAlike?: true

  /** Score and metadata of a new seed; `page` has those of its seed line. */
  injected(page: ScoredPage): Standing

  /** Score and metadata of any other new page; `update` adds the score of its inlinks. */
  initial(page: ScoredPage, how: Discovery): Standing

  /** The rank in a fetch list, larger first: `value` (1, or the result of the rule before) multiplied by the weight of the page. */
  sortValue(page: ScoredPage, value: number): number

  /**
   * The contribution of each of `links` to its target, by position; `undefined` drops the link.
   * @param found number of links before filtering
   */
  distribute(
    page: ScoredPage,
    links: readonly KeptLink[],
    found: number,
  ): ReadonlyArray<LinkContribution | undefined>

  /**
   * Score and metadata after an update.
   * @param received the sum of the links to the page that were found since the last update
   * @param given the sum of the scores that the page passed to its own links; 0 when it was not fetched
   */
  update(page: ScoredPage, received: InlinkSum, given: number): Standing

  /** The weight of the page in a search index: `boost` multiplied by the weight of the page. */
  indexBoost(page: ScoredPage, boost: number): number
}
