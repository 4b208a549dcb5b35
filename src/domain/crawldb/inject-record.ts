import type { FetchSchedule } from '../schedule/fetch-schedule.ts'
import { FIXED_INTERVAL_KEY } from '../schedule/fixed-interval.ts'
import type { Scoring, Standing } from '../scoring/scoring.ts'
import { type CrawlRecord, unfetchedRecord } from './crawl-record.ts'

/** A parsed seed line whose URL passed the filters. */
export interface Seed {
  /** Normalised. */
  readonly url: string
  /** Absent: the line has none. */
  readonly score?: number
  /** Seconds between two fetches. */
  readonly fetchInterval?: number
  /** Seconds between two fetches that no schedule may change; takes precedence over `fetchInterval`. */
  readonly fixedInterval?: number
  readonly metadata: Readonly<Record<string, string>>
}

/** Consecutive seeds whose lines have nothing but a URL. */
export interface PlainSeeds {
  /** Normalised, joined with line feeds. */
  readonly urls: string
  readonly count: number
}

/** Seeds in the order of their lines. There are `PlainSeeds` only if the scoring has `seedsAlike` and known records are kept. */
export type SeedBatch = ReadonlyArray<Seed | PlainSeeds>

export interface InjectRules {
  readonly schedule: FetchSchedule
  readonly scoring: Scoring
  /** The score of a seed whose line has none. @default 1 */
  readonly defaultScore?: number
  /**
   * What a seed does to a record that is already there. `keep`: nothing. `overwrite`: a fresh start, all history lost. `update`: the
   * score, interval and metadata the line gives replace the old ones; nothing else changes and no fetch is caused. @default 'keep'
   */
  readonly existing?: 'keep' | 'overwrite' | 'update'
}

/** Whether a seed may change a record that is already there. */
export function changesKnown({ existing = 'keep' }: InjectRules): boolean {
  return existing !== 'keep'
}

/** The record after a seed was injected at `now` (ms). `old` itself is returned when nothing changes. */
export function injectRecord(
  old: CrawlRecord | undefined,
  seed: Seed,
  rules: InjectRules,
  now: number,
): CrawlRecord {
  if (old === undefined || rules.existing === 'overwrite') return seededRecord(seed, rules, now)
  return changesKnown(rules) ? updatedBySeed(old, seed) : old
}

function seededRecord(seed: Seed, rules: InjectRules, now: number): CrawlRecord {
  const { url } = seed
  return unfetchedRecord({ url, ...rules.schedule.initialise(now), ...createSeedStanding(rules, now)(seed) })
}

/** The part of a new record that differs between seeds; with millions of seeds, the other columns are created once. */
export function createSeedStanding(
  { schedule, scoring, defaultScore = 1 }: InjectRules,
  now: number,
): (seed: Seed) => Standing & Pick<CrawlRecord, 'fetchInterval'> {
  const timing = schedule.initialise(now)
  return (seed) => {
    const score = seed.score ?? defaultScore
    const standing = scoring.injected({ url: seed.url, score, metadata: seedMetadata(seed) })
    return {
      score: standing.score,
      metadata: standing.metadata,
      fetchInterval: seedInterval(seed) ?? timing.fetchInterval,
    }
  }
}

// Nutch compares with the defaults to guess whether the line has a value, so a line cannot set a default value. Here it can.
function updatedBySeed(old: CrawlRecord, seed: Seed): CrawlRecord {
  return {
    ...old,
    score: seed.score ?? old.score,
    fetchInterval: seedInterval(seed) ?? old.fetchInterval,
    metadata: { ...old.metadata, ...seedMetadata(seed) },
  }
}

function seedInterval({ fixedInterval, fetchInterval }: Seed): number | undefined {
  const seconds = fixedInterval ?? fetchInterval
  return seconds === undefined ? undefined : Math.round(seconds)
}

function seedMetadata({ metadata, fixedInterval }: Seed): Readonly<Record<string, string>> {
  return fixedInterval === undefined ? metadata : { ...metadata, [FIXED_INTERVAL_KEY]: String(fixedInterval) }
}
