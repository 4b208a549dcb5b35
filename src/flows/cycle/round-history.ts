import type { LiveRound } from '../../domain/live/live-report.ts'
import type { ReportSource } from '../../domain/live/report-source.ts'
import type { CrawlStep, RoundReport } from './crawl-rounds.ts'

/** The latest rounds of a crawl and its current step, for reports. */
export class RoundHistory {
  readonly #now: () => number
  readonly #source: () => Pick<ReportSource, 'fetchedOf'> | undefined
  /** Oldest first. */
  readonly #rounds: Round[] = []
  #step: CrawlStep | 'indexing' | undefined
  #waiting: string | undefined

  /** @param source counts the rows of open segments */
  constructor(now: () => number, source: () => Pick<ReportSource, 'fetchedOf'> | undefined) {
    this.#now = now
    this.#source = source
  }

  step(step: CrawlStep | 'indexing' | undefined): void {
    this.#step = step
  }

  add(report: RoundReport): void {
    this.#waiting = undefined
    if (report.kind === 'waiting') {
      const { host = 'hosts' } = report.waits.first[0] ?? {}
      this.#waiting = `waiting until ${timeText(report.until)} for ${host}`
    } else if (report.kind === 'fetched') {
      const { segment, statuses, redirectTargets = 0 } = report.result
      const rows = Object.values(statuses).reduce((sum, n) => sum + n, 0)
      this.ended(segment, rows - redirectTargets)
    } else if (report.kind === 'resumed') this.begun(0, report.segment, report.urls)
    else if (report.kind === 'generated') this.begun(report.round, report.segment, report.urls)
  }

  begun(round: number, segment: string, urls: number): void {
    this.#rounds.push({ round, segment, urls, fetched: 0, startedAt: Math.round(this.#now()) })
    if (this.#rounds.length > MAX_ROUNDS) this.#rounds.shift()
  }

  ended(segment: string, fetched: number): void {
    const round = this.#rounds.find((one) => one.segment === segment)
    if (round === undefined) return
    // The rows of a fleet include redirect targets.
    round.fetched = Math.min(fetched, round.urls)
    round.endedAt = Math.round(this.#now())
  }

  /** Newest first. */
  rounds(): LiveRound[] {
    return this.#rounds.map((round) => ({ ...round, fetched: this.#fetched(round) })).reverse()
  }

  /** URLs of open fetch lists without a result. */
  get left(): number {
    const left = this.#open().map((round) => Math.max(0, round.urls - this.#fetched(round)))
    return left.reduce((sum, urls) => sum + urls, 0)
  }

  /** What the crawl does now, for people. */
  get activity(): string {
    const open = this.#open()
    const first = open[0]
    const more = open.length > 1 ? ` and ${open.length - 1} more` : ''
    const fetching = first === undefined ? undefined : `fetching segment ${first.segment}${more}`
    return [fetching, this.#step, this.#waiting].filter((part) => part !== undefined).join('; ') || 'starting'
  }

  #open(): Round[] {
    return this.#rounds.filter(({ endedAt }) => endedAt === undefined)
  }

  #fetched({ segment, fetched, endedAt }: Round): number {
    return endedAt === undefined ? (this.#source()?.fetchedOf?.(segment) ?? fetched) : fetched
  }
}

type Round = { -readonly [Key in keyof LiveRound]: LiveRound[Key] }

const MAX_ROUNDS = 20

function timeText(time: number): string {
  return new Date(time).toTimeString().slice(0, 5)
}
