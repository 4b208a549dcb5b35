/** The smallest and the median of any number of durations, in little memory: exact up to 1,000, then the median to about 1 %. */
export class GapStatistics {
  #smallest = Number.POSITIVE_INFINITY
  #count = 0
  #exact: number[] = []
  /** Counts by logarithm, once there are many. */
  #buckets: Map<number, number> | undefined

  add(ms: number): void {
    this.#count++
    this.#smallest = Math.min(this.#smallest, ms)
    if (this.#buckets !== undefined) this.#count1(ms)
    else {
      this.#exact.push(ms)
      if (this.#exact.length > MAX_EXACT) this.#toBuckets()
    }
  }

  /** `undefined` without durations. */
  result(): { readonly smallestMs: number; readonly medianMs: number } | undefined {
    if (this.#count === 0) return undefined
    return {
      smallestMs: this.#smallest,
      medianMs: this.#buckets ? this.#bucketMedian(this.#buckets) : this.#exactMedian(),
    }
  }

  #exactMedian(): number {
    const sorted = this.#exact.toSorted((a, b) => a - b)
    const middle = sorted.length >> 1
    const upper = sorted[middle] as number
    return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
  }

  #bucketMedian(buckets: Map<number, number>): number {
    let left = this.#count / 2
    for (const [bucket, count] of [...buckets].sort(([a], [b]) => a - b)) {
      left -= count
      if (left <= 0) return Math.max(this.#smallest, bucket === ZERO ? 0 : BASE ** bucket)
    }
    return this.#smallest
  }

  #toBuckets(): void {
    this.#buckets = new Map()
    for (const ms of this.#exact) this.#count1(ms)
    this.#exact = []
  }

  #count1(ms: number): void {
    const bucket = ms < SHORTEST_MS ? ZERO : Math.round(Math.log(ms) / LOG_BASE)
    this.#buckets?.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
  }
}

const MAX_EXACT = 1_000
const BASE = 1.01
const LOG_BASE = Math.log(BASE)
const SHORTEST_MS = 0.1
const ZERO = Number.NEGATIVE_INFINITY
