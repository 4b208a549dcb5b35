/** What one link brings its target. */
export interface LinkContribution {
  readonly score: number
  /** Steps from a seed at which the target would stand; absent when depth is not counted. */
  readonly depth?: number
  /** The depth at which links end, where the seed set one of its own. */
  readonly maxDepth?: number
}

/**
 * What all links to one page bring it in one update round. Built by the database as `sum(score)`, `count(*)`, `min(depth)` and the
 * largest `max_depth` among the links of that depth.
 */
export interface InlinkSum {
  readonly scoreSum: number
  readonly count: number
  readonly minDepth?: number
  /** The limit that came with `minDepth`. */
  readonly maxDepth?: number
}

/** Nobody linked. */
export const NO_INLINKS: InlinkSum = { scoreSum: 0, count: 0 }

/** One link more. The order of the links does not matter, but for the rounding of the sum. */
export function addInlink(sum: InlinkSum, link: LinkContribution): InlinkSum {
  return {
    scoreSum: sum.scoreSum + link.score,
    count: sum.count + 1,
    ...shallower({ depth: sum.minDepth, maxDepth: sum.maxDepth }, link),
  }
}

interface DepthAndLimit {
  readonly depth?: number | undefined
  readonly maxDepth?: number | undefined
}

function shallower(a: DepthAndLimit, b: DepthAndLimit): Pick<InlinkSum, 'minDepth' | 'maxDepth'> {
  const depthA = a.depth ?? Number.POSITIVE_INFINITY
  const depthB = b.depth ?? Number.POSITIVE_INFINITY
  const limitA = a.maxDepth ?? Number.NEGATIVE_INFINITY
  const limitB = b.maxDepth ?? Number.NEGATIVE_INFINITY
  const { depth, maxDepth } = depthB < depthA || (depthB === depthA && limitB > limitA) ? b : a
  if (depth === undefined) return {}
  return maxDepth === undefined ? { minDepth: depth } : { minDepth: depth, maxDepth }
}
