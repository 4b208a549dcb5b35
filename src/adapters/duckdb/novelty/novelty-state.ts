import { BOOLEAN, DOUBLE, VARCHAR } from '@duckdb/node-api'
import type { ParameterEvidence } from '../../../domain/novelty/ignored-parameter.ts'
import { hostOfPattern } from '../../../domain/novelty/novelty-budget.ts'
import {
  addPage,
  type HostEvidence,
  joinEvidence,
  noEvidence,
  type PageEvidence,
  type PatternEvidence,
} from '../../../domain/novelty/pattern-evidence.ts'
import { UrlPatterns } from '../../../domain/novelty/url-pattern.ts'
import type { Session } from '../session.ts'

/** Hosts with fewer URLs are not limited: the state of a crawl of millions of small hosts stays small. */
export const MIN_HOST_URLS = 50

/** What the CrawlDb knows about the URL patterns of its large hosts. Changes are written by `save`. */
export class NoveltyState {
  readonly patterns: UrlPatterns
  readonly #evidence = new Map<string, PatternEvidence>()
  /** With the patterns that are no more. */
  readonly #changed = new Set<string>()
  #joinedAt = 0

  private constructor(patterns: UrlPatterns) {
    this.patterns = patterns
  }

  static async load(session: Session): Promise<NoveltyState> {
    const slots = await session.all<{ slot: string; values: string[]; varies: boolean }>(`
      SELECT slot, list(value) FILTER (value IS NOT NULL) AS values, bool_or(value IS NULL) AS varies
      FROM novelty_slots GROUP BY slot`)
    const state = new NoveltyState(
      new UrlPatterns(
        slots.map(({ slot, values, varies }) => ({ slot, values: varies ? undefined : new Set(values) })),
      ),
    )
    for (const one of await readPatterns(session)) state.#evidence.set(one.pattern, one)
    return state
  }

  evidenceOf(pattern: string): PatternEvidence {
    return this.#evidence.get(pattern) ?? noEvidence(pattern)
  }

  get evidence(): Iterable<PatternEvidence> {
    return this.#evidence.values()
  }

  /** Sums over the patterns of each host. */
  hosts(): HostEvidence[] {
    const hosts = new Map<string, HostEvidence>()
    for (const { pattern, fetched, novelty } of this.#evidence.values()) {
      const host = hostOfPattern(pattern)
      const sum = hosts.get(host) ?? { host, fetched: 0, novelty: 0 }
      hosts.set(host, { host, fetched: sum.fetched + fetched, novelty: sum.novelty + novelty })
    }
    return [...hosts.values()]
  }

  addPage(pattern: string, page: PageEvidence): void {
    this.set(addPage(this.evidenceOf(pattern), page))
  }

  set(evidence: PatternEvidence): void {
    this.#evidence.set(evidence.pattern, evidence)
    this.#changed.add(evidence.pattern)
  }

  /** Joins patterns that have become one, as a part of their URLs varies. To be called after URLs were learned. */
  joinPatterns(): void {
    if (this.patterns.widened === this.#joinedAt) return
    this.#joinedAt = this.patterns.widened
    for (const one of [...this.#evidence.values()]) {
      const pattern = this.patterns.patternOf(one.pattern)
      if (pattern === one.pattern) continue
      this.#evidence.delete(one.pattern)
      this.#changed.add(one.pattern)
      const other = this.#evidence.get(pattern)
      const moved = { ...one, pattern }
      this.set(other === undefined ? moved : joinEvidence(other, moved))
    }
  }

  /** Stages the changes in temporary tables; `write` belongs in the transaction. */
  async save(session: Session): Promise<{ write(): Promise<void> }> {
    const slots = await session.stage('changed_slots', { slot: VARCHAR, value: VARCHAR })
    for (const { slot, values } of this.patterns.takeChanged())
      for (const value of values ?? [null]) slots.add(slot, value)
    slots.close()
    const gone = await session.stage('changed_patterns', { pattern: VARCHAR })
    for (const pattern of this.#changed) gone.add(pattern)
    gone.close()
    const patterns = await session.stage('new_patterns', PATTERN_TYPES)
    for (const name of this.#changed) {
      const one = this.#evidence.get(name)
      if (one === undefined) continue
      patterns.add(
        ...[one.pattern, one.fetched, one.novelty, one.value, one.recentFetched, one.recentValue],
        ...[one.released, one.held, one.exploredAt],
      )
    }
    patterns.close()
    this.#changed.clear()
    return {
      async write() {
        await session.run(`
          DELETE FROM novelty_slots WHERE slot IN (SELECT slot FROM changed_slots);
          INSERT INTO novelty_slots SELECT * FROM changed_slots;
          DELETE FROM novelty_patterns WHERE pattern IN (SELECT pattern FROM changed_patterns);
          INSERT INTO novelty_patterns SELECT * FROM new_patterns`)
      },
    }
  }
}

const PATTERN_TYPES = {
  ...{ pattern: VARCHAR, fetched: DOUBLE, novelty: DOUBLE, value: DOUBLE, recent_fetched: DOUBLE },
  ...{ recent_value: DOUBLE, released: BOOLEAN, held: DOUBLE, explored_at: DOUBLE },
}

export function readPatterns(session: Session): Promise<PatternEvidence[]> {
  return session.all<PatternEvidence>(`
    SELECT pattern, fetched::DOUBLE AS fetched, novelty, value, recent_fetched AS "recentFetched", recent_value AS "recentValue",
      released, held::DOUBLE AS held, explored_at::DOUBLE AS "exploredAt"
    FROM novelty_patterns ORDER BY pattern`)
}

export function readParameters(session: Session): Promise<ParameterEvidence[]> {
  return session.all<ParameterEvidence>(
    'SELECT slot, same::DOUBLE AS same, different::DOUBLE AS different, refused, held::DOUBLE AS held FROM novelty_parameters ORDER BY slot',
  )
}
