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
    this.#names = db.prepare(
      'SELECT url, name, headings, anchors FROM pages CROSS JOIN texts USING (row) WHERE row = ?',
    )
  }

  /** Sets the score of every page. Returns them with the best first; pages that lack a word only if they are better than all others. */
  rank(pages: readonly CandidatePage[], units: readonly WantedUnit[]): CandidatePage[] {
    let most = 0
    for (const { relevance } of pages) most = Math.max(most, relevance)
    const perRelevance = most > 0 ? RANK_WEIGHTS.relevance / most : 0
    const relevant = best(pages, 'relevance')
    const named = best(
      pages.filter((page) => page.named > 0),
      'named',
    )
    for (const page of pages) page.score = perRelevance * page.relevance * page.weight
    for (const page of new Set([...relevant, ...named]))
      page.score += this.#nameScore(page, units) * page.weight
    const ranked = pages.toSorted(byScore)
    if (units.length < 2) return ranked
    const first = ranked.slice(0, MAX_TEXTS)
    const telling = tellingUnits(units)
    for (const page of first) page.score += this.#proximity(page, telling) * page.weight
    return withoutWeakPartial([...first.sort(byScore), ...ranked.slice(MAX_TEXTS)])
  }

  #nameScore({ row }: CandidatePage, units: readonly WantedUnit[]): number {
    const { url, name, headings, anchors } = this.#names.get(row) as unknown as NamesRow
    const names = {
      name: name ?? '',
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

  #proximity({ row }: CandidatePage, units: readonly WantedUnit[]): number {
    if (!this.#texts.hasTime) return 0
    const { name, url } = this.#names.get(row) as unknown as NamesRow
    return RANK_WEIGHTS.proximity * proximityOf(`${name ?? ''}\n${this.#texts.of(row)}`, units, url)
  }
}

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
  const values = Float64Array.from(pages, (page) => page[by]).sort()
  const least = values[values.length - MAX_NAMES] ?? 0
  const above = pages.filter((page) => page[by] > least)
  const equal = pages.filter((page) => page[by] === least)
  return [...above, ...equal.slice(0, MAX_NAMES - above.length)]
}

interface NamesRow {
  readonly url: string
  readonly name: string | null
  readonly headings: string
  readonly anchors: string
}
