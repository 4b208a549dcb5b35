import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import type { Seed } from '../../domain/crawldb/inject-record.ts'
import { LineSplitter } from './line-splitter.ts'
import { parseSeedLine } from './seed-line.ts'
import type { SeedSource } from './seed-sources.ts'

/** A line that was not taken as it is. */
export interface SeedProblem {
  /** `seeds.txt:12` */
  readonly at: string
  /** The URL as written. */
  readonly url: string
  readonly reason: string
}

/** What was read, as far as it went. Problems are counted; of each kind the first few are kept as examples. */
export class SeedTally {
  /** Lines with a URL. */
  seeds = 0
  /** Items of a line that were left out; their URLs were not. */
  badItems = 0
  readonly rejected = new Map<string, number>()
  readonly examples: SeedProblem[] = []
  readonly #perReason: number

  constructor(examplesPerReason = 5) {
    this.#perReason = examplesPerReason
  }

  reject(reason: string, problem: SeedProblem): void {
    const before = this.rejected.get(reason) ?? 0
    this.rejected.set(reason, before + 1)
    if (before < this.#perReason) this.examples.push(problem)
  }

  leaveOut(problem: SeedProblem): void {
    if (this.badItems++ < this.#perReason) this.examples.push(problem)
  }
}

/** The seeds of all sources, a piece of text at a time, normalised and filtered by `judge`. Memory does not grow with their number. */
export async function* readSeeds(
  sources: AsyncIterable<SeedSource>,
  judge: JudgeUrl,
  tally: SeedTally,
): AsyncGenerator<Seed[]> {
  for await (const { name, text } of sources) {
    // It takes off a byte order mark, and puts U+FFFD for what is no UTF-8.
    const decoder = new TextDecoder()
    const splitter = new LineSplitter()
    let line = 0
    for await (const bytes of text) yield judged(splitter.push(decoder.decode(bytes, { stream: true })))
    yield judged([...splitter.push(decoder.decode()), ...splitter.end()])

    function judged(lines: readonly string[]): Seed[] {
      const seeds: Seed[] = []
      for (const written of lines) {
        line++
        const seed = judgeLine(written)
        if (seed !== undefined) seeds.push(seed)
      }
      return seeds
    }

    function judgeLine(written: string): Seed | undefined {
      const read = parseSeedLine(written)
      if (read.kind === 'blank') return undefined
      const { seed, badItems } = read
      tally.seeds++
      for (const reason of badItems) tally.leaveOut({ at: `${name}:${line}`, url: seed.url, reason })
      const verdict = judge(seed.url)
      if (verdict.ok) return verdict.url === seed.url ? seed : { ...seed, url: verdict.url }
      tally.reject(verdict.reason, { at: `${name}:${line}`, url: seed.url, reason: verdict.detail })
      return undefined
    }
  }
}
