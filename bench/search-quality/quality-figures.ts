import type { KnownItem } from './known-items.ts'

/** What an engine found for one query. */
export interface Ranking {
  readonly ids: readonly string[]
  readonly ms: number
}

export interface QualityFigures {
  readonly queries: number
  /** Parts of all queries. */
  readonly first: number
  readonly topThree: number
  /** Mean reciprocal rank within the first ten. */
  readonly mrr: number
  readonly p95Ms: number
}

export function qualityFigures(items: readonly KnownItem[], rankings: readonly Ranking[]): QualityFigures {
  const ranks = items.map(({ ids }, i) =>
    (rankings[i]?.ids ?? []).slice(0, 10).findIndex((id) => ids.has(id)),
  )
  const part = (fits: (rank: number) => boolean) => ranks.filter(fits).length / Math.max(1, items.length)
  const sum = ranks.reduce((total, rank) => total + (rank === -1 ? 0 : 1 / (rank + 1)), 0)
  const times = rankings.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    queries: items.length,
    first: part((rank) => rank === 0),
    topThree: part((rank) => rank !== -1 && rank < 3),
    mrr: sum / Math.max(1, items.length),
    p95Ms: times[Math.floor((times.length - 1) * 0.95)] ?? 0,
  }
}

/** Each of the figures counts the same; the slowest p95 counts. */
export function meanFigures(figures: readonly QualityFigures[]): QualityFigures {
  const sum = (of: (one: QualityFigures) => number) => figures.reduce((total, one) => total + of(one), 0)
  return {
    queries: sum(({ queries }) => queries),
    first: sum(({ first }) => first) / figures.length,
    topThree: sum(({ topThree }) => topThree) / figures.length,
    mrr: sum(({ mrr }) => mrr) / figures.length,
    p95Ms: Math.max(...figures.map(({ p95Ms }) => p95Ms)),
  }
}

/** At most so many items, spread evenly: neighbours in an index are alike. */
export function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most)
  const count = Math.min(most, items.length)
  return Array.from({ length: count }, (_, i) => items[Math.floor(i * step)] as T)
}
