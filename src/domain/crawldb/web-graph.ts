/**
 * The graph of links between the pages of a crawl, and the LinkRank of its nodes. Pages, link targets and redirects are nodes; a redirect
 * counts as the only link of its page.
 */
export interface WebGraph {
  /**
   * Adds the parts of these segments that the graph does not have yet. The newest version of a page counts. If the options differ from
   * those of the last call, the graph is built again from all of them.
   */
  build(request: GraphRequest): Promise<GraphResult>

  /** Computes and stores the LinkRank of all pages or hosts. Nothing is changed unless it is complete. */
  rank(request?: RankRequest): Promise<RankResult>

  /**
   * Sets the score of each record to the LinkRank of its URL, and of URLs that are not in the graph to `clearScore`.
   * @returns the number of records of each kind
   */
  updateScores(
    clearScore: number,
    signal?: AbortSignal,
  ): Promise<{ readonly ranked: number; readonly cleared: number }>
}

export interface GraphRequest {
  readonly segments: readonly string[]
  /** Ignore links within a host or a registered domain. @default 'none' */
  readonly ignoreInternal?: 'none' | 'host' | 'domain'
  /** Count each repetition of a link on a page. @default false */
  readonly duplicates?: boolean
  /** Maximum number of links of one page; the first ones count. @default no limit */
  readonly maxPerPage?: number
  /** Maximum number of links of one page to the same domain. @default no limit */
  readonly maxPerDomain?: number
  /** Stops it; nothing is changed. */
  readonly signal?: AbortSignal
}

/** What a step that builds the web graph added. */
export interface GraphResult {
  /** Pages whose links were added or replaced. */
  readonly pages: number
  /** Totals of the graph. */
  readonly nodes: number
  readonly links: number
  /** Whether it was built again because the options have changed. */
  readonly rebuilt: boolean
}

export interface RankRequest {
  /** The nodes of the graph. Links within a host do not count for hosts. @default 'page' */
  readonly by?: RankUnit
  /** The share of its rank that a node passes on to its links. @default 0.85 */
  readonly damping?: number
  /** Maximum number of iterations. @default 50 */
  readonly iterations?: number
  /** Stop when the ranks of all nodes together change by less than this share of their sum. @default 0.0001 */
  readonly tolerance?: number
  /** Stops it; nothing is changed. */
  readonly signal?: AbortSignal
  /** Called after each iteration with the change. */
  readonly onIteration?: (iteration: number, change: number) => void
}

/** What the ranks are computed for. */
export type RankUnit = 'page' | 'host'

export interface RankResult {
  readonly nodes: number
  readonly links: number
  /** Nodes without a link to others. Their rank is passed on to all nodes in equal parts. */
  readonly dangling: number
  readonly iterations: number
  /** The change of the last iteration. */
  readonly change: number
  /** Whether the change is less than the tolerance. */
  readonly converged: boolean
}
