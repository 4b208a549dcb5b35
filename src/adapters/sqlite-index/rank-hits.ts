import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CandidatePage } from './find-candidates.ts'
import { COMMON_WEIGHT, rankNames, type WantedUnit } from './rank-names.ts'
import { proximityOf } from './rank-proximity.ts'
import type { StoredTexts } from './stored-texts.ts'

/** How much each kind of match counts; bench/search-quality chose them. */
export const RANK_WEIGHTS = {
  title: 2,
  anchors: 3.5,
  url: 1,
  headings: 2,
  /** How close the words are in the text. */
  proximity: 1,
  /** BM25, compared with the best page for the query. */
  relevance: 1,
}

/**
 * Ranks the best pages by what they are called, and the best of these by how close the words are in their texts: BM25 does not know which
 * words are next to one another, and gives nothing for words that most pages have. All others keep the order of BM25, after these.
 */
export class HitRanker {
  readonly #names: StatementSync
  readonly #texts: StoredTexts

  constructor(db: DatabaseSync, texts: StoredTexts) {
    this.#texts = texts
    // CROSS JOIN makes SQLite go from the numbers to their pages.
    this.#names = db.prepare(
      `SELECT row, url, name, title, headings, anchors, length(content) FROM json_each(?)
       CROSS JOIN pages ON pages.row = value CROSS JOIN texts USING (row)`,
    )
    // Objects with names take twice as long.
    this.#names.setReturnArrays(true)
  }

  /** Sets the score of every page. Returns them with the best first; pages that lack a word only if they are better than all others. */
  rank(pages: readonly CandidatePage[], units: readonly WantedUnit[]): CandidatePage[] {
    const relevant = best(pages, 'relevance')
    const named = best(
      pages.filter((page) => page.named > 0),
      'named',
    )
    const names = this.#namesOf([...new Set([...relevant, ...named])])
    raiseLongPages(names)
    let most = 0
    for (const { relevance } of pages) most = Math.max(most, relevance)
    const perRelevance = most > 0 ? RANK_WEIGHTS.relevance / most : 0
    for (const page of pages) page.score = perRelevance * page.relevance * page.weight
    for (const { page, row } of names) page.score += nameScore(row, units) * page.weight
    const ranked = pages.toSorted(byScore)
    if (units.length < 2) return ranked
    const first = ranked.slice(0, MAX_TEXTS)
    const telling = tellingUnits(units)
    for (const { page, row } of this.#namesOf(first))
      page.score += this.#proximity(row, telling) * page.weight
    return withoutWeakPartial([...first.sort(byScore), ...ranked.slice(MAX_TEXTS)])
  }

  #namesOf(pages: readonly CandidatePage[]): NamedPage[] {
    const byRow = new Map(pages.map((page) => [page.row, page]))
    const rows = this.#names.all(JSON.stringify([...byRow.keys()])) as unknown as NamesRow[]
    return rows.flatMap((row) => {
      const page = byRow.get(row[0])
      return page === undefined ? [] : { page, row }
    })
  }

  #proximity([row, url, name]: NamesRow, units: readonly WantedUnit[]): number {
    const { text } = this.#texts.beginning(row)
    return RANK_WEIGHTS.proximity * proximityOf(`${name ?? ''}\n${text}`, units, url)
  }
}

function nameScore([, url, name, title, headings, anchors]: NamesRow, units: readonly WantedUnit[]): number {
  const names = {
    name: name ?? '',
    title: title ?? '',
    headings: JSON.parse(headings) as string[],
    anchors: JSON.parse(anchors) as string[],
    url,
  }
  const scores = rankNames(names, units)
  return (
    RANK_WEIGHTS.title * scores.title +
    RANK_WEIGHTS.anchors * scores.anchors +
    RANK_WEIGHTS.url * scores.url +
    RANK_WEIGHTS.headings * scores.headings
  )
}

/** Raises the BM25 of long pages: FTS5 takes off so much for their length that a chapter about a word comes after a page that mentions it once. */
function raiseLongPages(names: readonly NamedPage[]): void {
  const lengths = names.map(({ row: [, , , , , , bytes] }) => Math.log(bytes + SHORT_BYTES))
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  for (const [i, { page }] of names.entries()) {
    const ratio = (lengths[i] ?? mean) - mean
    const limited = Math.max(-MAX_LENGTH_RATIO, Math.min(MAX_LENGTH_RATIO, ratio))
    page.relevance *= Math.exp(LENGTH_POWER * limited)
  }
}

/** The power of the length that the relevance is multiplied by; bench/search-quality chose it. */
const LENGTH_POWER = 0.15
/** Logarithm of the ratio to the mean length above which it counts no more: seven times as long or short. */
const MAX_LENGTH_RATIO = 2
/** Compressed bytes that make no difference between short texts. */
const SHORT_BYTES = 100

/** Units that few pages have, unless too few remain: where “of” and “the” are does not matter. */
function tellingUnits(units: readonly WantedUnit[]): readonly WantedUnit[] {
  const telling = units.filter(({ weight }) => weight >= COMMON_WEIGHT)
  return telling.length < 2 ? units : telling
}

/** Only those before the first page that has all words. */
function withoutWeakPartial(ranked: readonly CandidatePage[]): CandidatePage[] {
  const whole = ranked.findIndex(({ isPartial }) => !isPartial)
  return ranked.filter(({ isPartial }, i) => !isPartial || i < whole)
}

function byScore(a: CandidatePage, b: CandidatePage): number {
  return b.score - a.score || a.row - b.row
}

const MAX_NAMES = 200
/** Pages whose texts are compared. */
const MAX_TEXTS = 15

/** The pages with the largest values, in no particular order. */
function best(pages: readonly CandidatePage[], by: 'relevance' | 'named'): readonly CandidatePage[] {
  if (pages.length <= MAX_NAMES) return pages
  const values = new Float64Array(pages.length)
  for (const [i, page] of pages.entries()) values[i] = page[by]
  values.sort()
  const least = values[values.length - MAX_NAMES] ?? 0
  const above = pages.filter((page) => page[by] > least)
  const equal = pages.filter((page) => page[by] === least)
  return [...above, ...equal.slice(0, MAX_NAMES - above.length)]
}

interface NamedPage {
  readonly page: CandidatePage
  readonly row: NamesRow
}

type NamesRow = [
  row: number,
  url: string,
  name: string | null,
  title: string | null,
  /** JSON, as are the anchors. */
  headings: string,
  anchors: string,
  /** Of the compressed text. */
  bytes: number,
]
