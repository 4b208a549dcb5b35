import type { LiveReport } from '../domain/live/live-report.ts'

export interface EpisodeThresholds {
  readonly errorRatePercent: number
  readonly noProgressMs: number
}

/** The begin or the end of an episode. */
export interface EpisodeChange {
  readonly event: 'error-rate' | 'error-rate-over' | 'no-progress' | 'no-progress-over'
  /** For people. */
  readonly text: string
}

/**
 * Finds episodes of a high error rate and of missing progress in the reports of a run. Each has one change when it begins, and one when it
 * is over. A paused crawl has no new episodes.
 */
export class ProgressEpisodes {
  readonly #thresholds: EpisodeThresholds
  /** Counts of the last minute, oldest first. */
  #samples: Sample[] = []
  #hasErrors = false
  /** `lastProgressAt` when the episode without progress began. */
  #stuckSince: number | undefined

  constructor(thresholds: EpisodeThresholds) {
    this.#thresholds = thresholds
  }

  check(report: LiveReport): EpisodeChange[] {
    return [...this.#checkErrors(report), ...this.#checkProgress(report)]
  }

  #checkErrors({ at, totals, state }: LiveReport): EpisodeChange[] {
    const { requests, errors } = totals
    this.#samples.push({ at, requests, errors })
    while (this.#samples.length > 1 && (this.#samples[1]?.at ?? at) <= at - WINDOW_MS) this.#samples.shift()
    const [first] = this.#samples
    const sent = requests - (first?.requests ?? 0)
    const failed = errors - (first?.errors ?? 0)
    const percent = sent === 0 ? 0 : (failed * 100) / sent
    const isHigh = percent >= this.#thresholds.errorRatePercent
    if (!this.#hasErrors && isHigh && sent >= MIN_REQUESTS && state === 'running') {
      this.#hasErrors = true
      return [{ event: 'error-rate', text: `${failed} of ${sent} requests failed in the last minute` }]
    }
    if (this.#hasErrors && !isHigh && sent > 0) {
      this.#hasErrors = false
      return [
        { event: 'error-rate-over', text: `only ${failed} of ${sent} requests failed in the last minute` },
      ]
    }
    return []
  }

  #checkProgress({ at, lastProgressAt, state, activity }: LiveReport): EpisodeChange[] {
    if (this.#stuckSince !== undefined && lastProgressAt > this.#stuckSince) {
      this.#stuckSince = undefined
      return [{ event: 'no-progress-over', text: 'the crawl makes progress again' }]
    }
    const idleMs = at - lastProgressAt
    if (this.#stuckSince !== undefined || idleMs < this.#thresholds.noProgressMs || state !== 'running')
      return []
    this.#stuckSince = lastProgressAt
    const now = activity === undefined ? '' : `; it is ${activity}`
    return [
      { event: 'no-progress', text: `no page in the last ${Math.round(idleMs / 60_000)} minutes${now}` },
    ]
  }
}

interface Sample {
  readonly at: number
  readonly requests: number
  readonly errors: number
}

const WINDOW_MS = 60_000
/** A rate of fewer requests says little. */
const MIN_REQUESTS = 20
