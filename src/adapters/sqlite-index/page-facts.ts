import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** What ranking, filters and counts need of a page. */
export interface PageFacts {
  readonly host: string
  readonly type: string | null
  readonly lang: string | null
  /** What a score is multiplied by. */
  readonly weight: number
  /** Milliseconds since the epoch. */
  readonly date: number
  /** The near-duplicates that it belongs to. */
  readonly cluster: string | null
}

/**
 * Reads facts of pages, and keeps them: frequent words find the same pages in every search, the first ones of the index.
 * To be cleared when the index has changed.
 */
export class PageFactsReader {
  readonly #statement: StatementSync
  readonly #facts = new Map<number, PageFacts>()
  /** One string per value: equal strings that are the same object are compared and counted faster. */
  readonly #texts = new Map<string, string>()

  constructor(db: DatabaseSync) {
    this.#statement = db.prepare(
      'SELECT row, host, type, lang, weight, date, cluster FROM pages WHERE row IN (SELECT value FROM json_each(?))',
    )
    // Objects with names take twice as long.
    this.#statement.setReturnArrays(true)
  }

  /** The facts of pages, in any order; without pages that the index does not have. */
  read(rows: readonly number[]): ReadonlyMap<number, PageFacts> {
    const missing = rows.filter((row) => !this.#facts.has(row))
    if (missing.length === 0) return this.#facts
    if (this.#facts.size + missing.length > MAX_KEPT && this.#facts.size > 0) {
      this.clear()
      return this.read(rows)
    }
    const found = this.#statement.all(JSON.stringify(missing)) as unknown as FactsRow[]
    for (const [row, host, type, lang, weight, date, cluster] of found)
      this.#facts.set(row, {
        ...{ host: this.#one(host), type: this.#oneOrNull(type), lang: this.#oneOrNull(lang) },
        ...{ weight, date, cluster },
      })
    return this.#facts
  }

  clear(): void {
    this.#facts.clear()
    this.#texts.clear()
  }

  #oneOrNull(text: string | null): string | null {
    return text === null ? null : this.#one(text)
  }

  #one(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, text)
    return text
  }
}

/** Pages; about 10 MB. */
const MAX_KEPT = 50_000

type FactsRow = [
  row: number,
  host: string,
  type: string | null,
  lang: string | null,
  weight: number,
  date: number,
  cluster: string | null,
]
