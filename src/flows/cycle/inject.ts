import type { CrawlDb, InjectResult } from '../../domain/crawldb/crawl-db.ts'
import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import type { InjectRules } from '../../domain/crawldb/inject-record.ts'
import { readSeeds, type SeedProblem, SeedTally } from './read-seeds.ts'
import type { SeedSource } from './seed-sources.ts'

export interface InjectOptions {
  readonly rules: InjectRules
  /** Normalises and filters; at least a normaliser is part of it, or the db would hold URLs twice. */
  readonly judge: JudgeUrl
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Problems told in full, of each reason. @default 5 */
  readonly examplesPerReason?: number
}

export interface InjectSummary extends InjectResult {
  /** Lines with a URL. */
  readonly seeds: number
  /** Seeds that were not taken, by reason. */
  readonly rejected: Readonly<Record<string, number>>
  /** Items of lines that were left out. */
  readonly badItems: number
  readonly examples: readonly SeedProblem[]
}

/** Puts seeds into the CrawlDb. */
export async function inject(
  db: CrawlDb,
  sources: AsyncIterable<SeedSource>,
  { rules, judge, now, examplesPerReason }: InjectOptions,
): Promise<InjectSummary> {
  const tally = new SeedTally(examplesPerReason)
  const result = await db.inject(readSeeds(sources, judge, tally), rules, now)
  return {
    ...result,
    seeds: tally.seeds,
    rejected: Object.fromEntries(tally.rejected),
    badItems: tally.badItems,
    examples: tally.examples,
  }
}
