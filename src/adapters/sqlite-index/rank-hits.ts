import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { rankNames, type WantedUnit } from './rank-names.ts'

/** How much each kind of match counts; bench/search-quality chose them. */
export const RANK_WEIGHTS = {
  title: 2,
  anchors: 3.5,
  url: 1,
  headings: 2,
  /** BM25, compared with the best page for the query. */
  relevance: 1,
}

/**
 * Ranks the best pages of `hits` by what they are called: BM25 does not know which words are next to one another, and gives nothing for
 * words that most pages have. All others keep the order of BM25, after these.
 */
export class HitRanker {
  readonly #candidates: StatementSync
  readonly #most: StatementSync
  readonly #rest: StatementSync
  readonly #set: StatementSync

  constructor(db: DatabaseSync) {
    const best = (order: string) =>
      `SELECT row FROM (SELECT row FROM hits ORDER BY ${order} DESC, row LIMIT ${MAX_NAMES})`
    this.#candidates = db.prepare(`
      SELECT row, url, name, headings, anchors, weight, relevance FROM (${best('relevance')} UNION ${best('named')})
      CROSS JOIN hits USING (row) CROSS JOIN pages USING (row) CROSS JOIN texts USING (row)`)
    this.#most = db.prepare('SELECT max(relevance) AS most FROM hits')
    this.#rest = db.prepare(
      'UPDATE hits SET score = ? * relevance * (SELECT weight FROM pages p WHERE p.row = hits.row)',
    )
    this.#set = db.prepare('UPDATE hits SET score = ? WHERE row = ?')
  }

  /** Sets `score` of every hit. */
  rank(units: readonly WantedUnit[]): void {
    const most = Number(this.#most.get()?.['most'] ?? 0)
    const perRelevance = most > 0 ? RANK_WEIGHTS.relevance / most : 0
    this.#rest.run(perRelevance)
    for (const { row, score } of this.#scores(units, perRelevance)) this.#set.run(score, row)
  }

  #scores(units: readonly WantedUnit[], perRelevance: number): { row: number; score: number }[] {
    const rows = this.#candidates.all() as unknown as CandidateRow[]
    return rows.map(({ row, url, name, headings, anchors, weight, relevance }) => {
      const names = {
        name: name ?? '',
        headings: JSON.parse(headings) as string[],
        anchors: JSON.parse(anchors) as string[],
        url,
      }
      const scores = rankNames(names, units)
      const sum =
        RANK_WEIGHTS.title * scores.title +
        RANK_WEIGHTS.anchors * scores.anchors +
        RANK_WEIGHTS.url * scores.url +
        RANK_WEIGHTS.headings * scores.headings +
        perRelevance * relevance
      return { row, score: sum * weight }
    })
  }
}

const MAX_NAMES = 200

interface CandidateRow {
  readonly row: number
  readonly url: string
  readonly name: string | null
  readonly headings: string
  readonly anchors: string
  readonly weight: number
  readonly relevance: number
}
