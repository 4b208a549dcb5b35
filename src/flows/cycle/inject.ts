import type { CrawlDb, InjectResult } from '../../domain/crawldb/crawl-db.ts'
import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import { changesKnown, type InjectRules } from '../../domain/crawldb/inject-record.ts'
import {
  interruptSources,
  readPlainSeeds,
  readSeeds,
  type SeedProblem,
  type SeedSource,
  SeedTally,
} from './read-seeds.ts'

export interface InjectOptions {
  readonly rules: InjectRules
  /** Normalises and filters. Without a normaliser the CrawlDb may hold a URL twice. */
  readonly judge: JudgeUrl
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Number of examples for each kind of problem. @default 5 */
  readonly examplesPerReason?: number
  /** Stops it, also while input is awaited: it fails with `Interrupted`, and nothing is changed. */
  readonly signal?: AbortSignal
}

/** What became of the seeds. `examples` are some of the rejected ones. */
export interface InjectSummary extends InjectResult {
  /** Lines with a URL. */
  readonly seeds: number
  /** Rejected seeds, by reason. */
  readonly rejected: Readonly<Record<string, number>>
  /** Items of lines that were left out. */
  readonly badItems: number
  readonly examples: readonly SeedProblem[]
}

/** Adds seeds to the CrawlDb. */
export async function inject(
  db: CrawlDb,
  sources: AsyncIterable<SeedSource>,
  { rules, judge, now, examplesPerReason, signal }: InjectOptions,
): Promise<InjectSummary> {
  const tally = new SeedTally(examplesPerReason)
  const plain = !changesKnown(rules) && rules.scoring.seedsAlike === true && judge.acceptsPlain === true
  const texts = signal === undefined ? sources : interruptSources(sources, signal)
  const seeds = plain ? readPlainSeeds(texts, judge, tally) : readSeeds(texts, judge, tally)
  const result = await db.inject(seeds, rules, now, signal)
  return {
    ...result,
    seeds: tally.seeds,
    rejected: Object.fromEntries(tally.rejected),
    badItems: tally.badItems,
    examples: tally.examples,
  }
}
