import type { InlinkSum, LinkContribution } from './inlink-sum.ts'

/** What a rule may change about a page. */
export interface Standing {
  readonly score: number
  readonly metadata: Readonly<Record<string, string>>
}

/** A page as a scoring rule sees it. */
export interface ScoredPage extends Standing {
  readonly url: string
}

/** A link that survived the filters. */
export interface KeptLink {
  readonly url: string
  /** Whether it stays on the host of the page. */
  readonly internal: boolean
}

/** How a page became known. A redirect target comes with the score and metadata of the page that pointed to it. */
export type Discovery = 'link' | 'redirect'

/**
 * Decides which pages are fetched first and how worth flows along links. Replace it by any object of this shape.
 *
 * A scoring rule is a pure function of its arguments. Where it returns a `Standing`, what it does not care about is handed back as it came.
 */
export interface Scoring {
  /**
   * A promise: `sortValue` is the score times the value, and `update` of a page that was not fetched adds `scoreSum` to the
   * score and changes nothing else. The database may then sort and fold in bulk without calling either.
   */
  readonly plain?: true

  /** The start of a seed; `page` has the score and metadata of its line. */
  injected(page: ScoredPage): Standing

  /** The start of any other page; what its first inlinks bring is added by `update`. */
  initial(page: ScoredPage, how: Discovery): Standing

  /** The rank in a fetch list, larger first: `value` (1, or what the rule before made of it) weighed by the page. */
  sortValue(page: ScoredPage, value: number): number

  /**
   * What each of `links` brings its target, by position; `undefined` drops the link.
   * @param found how many links the page had before filtering
   */
  distribute(
    page: ScoredPage,
    links: readonly KeptLink[],
    found: number,
  ): ReadonlyArray<LinkContribution | undefined>

  /**
   * The standing after an update round.
   * @param received what the links found in this round bring
   * @param given the sum of the scores the page passed to its own links in this round; 0 when it was not fetched
   */
  update(page: ScoredPage, received: InlinkSum, given: number): Standing

  /** The weight of the page in a search index: `boost` weighed by the page. */
  indexBoost(page: ScoredPage, boost: number): number
}
