import type { LiveHistogram } from './live-report.ts'

/** Counts response times by their size. */
export class ResponseTimes {
  readonly #counts = new Float64Array(BOUNDS_MS.length + 1)
  #sumMs = 0

  add(ms: number): void {
    let i = 0
    while (i < BOUNDS_MS.length && ms > (BOUNDS_MS[i] as number)) i++
    this.#counts[i] = (this.#counts[i] as number) + 1
    this.#sumMs += ms
  }

  histogram(): LiveHistogram {
    return { boundsMs: BOUNDS_MS, counts: [...this.#counts], sumMs: Math.round(this.#sumMs) }
  }
}

const BOUNDS_MS: readonly number[] = Object.freeze([
  ...[5, 10, 25, 50, 100, 250, 500],
  ...[1_000, 2_500, 5_000, 10_000, 30_000, 60_000],
])
