/** When a fetch gives up on the rest of its lists. */
export interface FetchLimits {
  /** @default none */
  readonly timeLimitMs?: number
  /** Fewer pages a second than this, for `slowSeconds` in a row, end the run. @default none */
  readonly minPagesPerSecond?: number
  /** @default 5 */
  readonly slowSeconds?: number
  /** The rate is looked at from here on, counted from the start. @default 300000 */
  readonly rateCheckAfterMs?: number
}

/** Why a run gave up on the rest of its lists. */
export type LimitReached = 'time limit' | 'too few pages a second'

/** Says, second by second, whether a run has come to its end. */
export class LimitWatch {
  readonly #limits: FetchLimits
  #slowSeconds = 0

  constructor(limits: FetchLimits) {
    this.#limits = limits
  }

  /** Why it is over, or `undefined`. Call it once a second. */
  verdict(elapsedMs: number, pagesLastSecond: number): LimitReached | undefined {
    const { timeLimitMs = Number.POSITIVE_INFINITY, minPagesPerSecond = 0 } = this.#limits
    const { slowSeconds = 5, rateCheckAfterMs = 300_000 } = this.#limits
    if (elapsedMs >= timeLimitMs) return 'time limit'
    const isSlow = elapsedMs >= rateCheckAfterMs && pagesLastSecond < minPagesPerSecond
    this.#slowSeconds = isSlow ? this.#slowSeconds + 1 : 0
    return this.#slowSeconds >= slowSeconds ? 'too few pages a second' : undefined
  }
}
