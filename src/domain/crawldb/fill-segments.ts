/** Limits on the URLs of segments. */
export interface SegmentLimits {
  /** URLs in a segment. @default no limit */
  readonly topN?: number
  /** @default 1 */
  readonly maxNumSegments?: number
  /** URLs of one key (host or domain) in a segment. @default no limit */
  readonly maxCount?: number
  /** `maxCount` of single keys. */
  readonly maxCounts?: ReadonlyMap<string, number>
}

/**
 * Deals URLs out to segments, in the order of their rank.
 *
 * Without `maxCount` the segments are filled one after the other. With it, each host starts in the first segment and continues to the next
 * when it has its share of this one or this one is full; after its share of the last segment it gets no more. No segment ever holds
 * more than `topN` URLs, and no host more than `maxCount` in any.
 */
export class SegmentFiller {
  readonly #topN: number
  readonly #maxCount: number
  readonly #maxCounts: ReadonlyMap<string, number>
  /** URLs in each segment. */
  readonly #sizes: number[]
  readonly #hosts = new Map<string, HostShare>()
  #room: number

  constructor(limits: SegmentLimits = {}) {
    const { topN = Number.POSITIVE_INFINITY, maxNumSegments = 1, maxCount, maxCounts = new Map() } = limits
    this.#topN = topN
    this.#maxCount = maxCount ?? Number.POSITIVE_INFINITY
    this.#maxCounts = maxCounts
    this.#sizes = new Array<number>(maxNumSegments).fill(0)
    this.#room = topN * maxNumSegments
  }

  /** Every segment has `topN` URLs. */
  get full(): boolean {
    return this.#room <= 0
  }

  /** The segment (from 0) of the next best URL, which belongs to `key`; `undefined`: it is left out. */
  place(key: string): number | undefined {
    const share = this.#shareOf(key)
    const maxCount = this.#maxCounts.get(key) ?? this.#maxCount
    while (share.segment < this.#sizes.length) {
      const size = this.#sizes[share.segment] ?? 0
      if (size < this.#topN && share.count < maxCount) {
        this.#sizes[share.segment] = size + 1
        share.count++
        this.#room--
        return share.segment
      }
      share.segment++
      share.count = 0
    }
    return undefined
  }

  #shareOf(key: string): HostShare {
    let share = this.#hosts.get(key)
    if (share === undefined) {
      share = { segment: 0, count: 0 }
      this.#hosts.set(key, share)
    }
    return share
  }
}

interface HostShare {
  segment: number
  /** URLs in that segment. */
  count: number
}

/**
 * Spreads hosts over `parts` so that each is in one of them and the parts are about equally long: the largest host first, each to
 * the part that is shortest so far. Returns the part (from 0) of each key. The outcome depends on `sizes` alone, not on its order.
 */
export function divideHosts(sizes: ReadonlyMap<string, number>, parts: number): Map<string, number> {
  const lengths = new Array<number>(parts).fill(0)
  const partOf = new Map<string, number>()
  const largestFirst = [...sizes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  for (const [host, size] of largestFirst) {
    const shortest = indexOfSmallest(lengths)
    lengths[shortest] = (lengths[shortest] ?? 0) + size
    partOf.set(host, shortest)
  }
  return partOf
}

function indexOfSmallest(numbers: readonly number[]): number {
  return numbers.reduce((best, number, i) => (number < (numbers[best] ?? 0) ? i : best), 0)
}
