import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { ScoredPage, Scoring, Standing } from './scoring.ts'

/** Metadata: depth, counted from the nearest seed, which has depth 1. */
export const DEPTH_KEY = '_depth_'
/** Metadata: the depth limit of a seed with its own limit, and of all pages found from it. */
export const MAX_DEPTH_KEY = '_maxdepth_'

/** Options of {@link createDepthScoring}. */
export interface DepthScoringOptions {
  /** Links of a page at this depth are dropped; with 1 only the seeds are fetched. @default 1000 */
  readonly maxDepth?: number
}

/**
 * Keeps a crawl within so many steps of its seeds, and fetches the near pages first.
 * It leaves the score alone. A page without a depth was known before depth was counted: it counts as a seed until a link gives it one,
 * so that a crawl does not stop where the counting begins.
 * @example
 * const scoring: Scoring = createDepthScoring({ maxDepth: 5 })
 */
export function createDepthScoring({ maxDepth = 1000 }: DepthScoringOptions = {}): Scoring {
  if (!Number.isInteger(maxDepth) || maxDepth < 1) {
    throw new ConfigurationError(
      'SETTING_INVALID',
      `maxDepth is ${maxDepth}; give a whole number of steps, at least 1`,
    )
  }
  const limitOf = (page: ScoredPage) => number(page, MAX_DEPTH_KEY) ?? maxDepth
  const depthOf = (page: ScoredPage) => number(page, DEPTH_KEY) ?? SEED_DEPTH

  return {
    injected: (page) => withDepth(page, SEED_DEPTH),
    // A link brings its depth with `update`; a redirect target has the depth of the page that pointed to it.
    initial: standing,
    sortValue: (page, value) => value * (1 + limitOf(page) - depthOf(page)),
    distribute(page, links) {
      const depth = depthOf(page)
      if (depth >= limitOf(page)) return links.map(() => undefined)
      const own = number(page, MAX_DEPTH_KEY)
      const link = { score: 0, depth: depth + 1, ...withoutUndefined({ maxDepth: own }) }
      return links.map(() => link)
    },
    update(page, { minDepth, maxDepth: limit }) {
      const depth = number(page, DEPTH_KEY) ?? Number.POSITIVE_INFINITY
      return minDepth !== undefined && minDepth < depth ? withDepth(page, minDepth, limit) : standing(page)
    },
    indexBoost: (_page, boost) => boost,
  }
}

const SEED_DEPTH = 1

function standing({ score, metadata }: ScoredPage): Standing {
  return { score, metadata }
}

function withDepth({ score, metadata }: ScoredPage, depth: number, limit?: number): Standing {
  const own = limit === undefined ? {} : { [MAX_DEPTH_KEY]: String(limit) }
  return { score, metadata: { ...metadata, [DEPTH_KEY]: String(depth), ...own } }
}

function number(page: ScoredPage, key: string): number | undefined {
  const value = Number.parseInt(page.metadata[key] ?? '', 10)
  return Number.isNaN(value) ? undefined : value
}
