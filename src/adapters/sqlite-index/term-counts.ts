import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** A count that is not one of a word: its name has a colon, which words do not have. */
export const PAGE_COUNT = ':pages'
export const LANGUAGE_COUNT = ':lang '

/**
 * In how many pages each word is. Kept with the pages in one transaction, because FTS5 would have to read the whole list of a
 * word's pages to count them, and cannot list words that end alike.
 */
export class TermCounts {
  readonly #add: StatementSync
  readonly #changes = new Map<string, TermChange>()
  #page = 0

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(
      `INSERT INTO terms VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages`,
    )
  }

  /**
   * @param texts of a page, as `searchText` makes them
   * @param names of other counts
   * @param change 1 for a page that is added, -1 for one that is removed
   */
  count(texts: readonly string[], names: readonly string[], change: 1 | -1): void {
    this.#page++
    for (const name of names) this.#change(name, change)
    for (const text of texts) for (const term of text.match(TOKEN) ?? []) this.#change(term, change)
  }

  /** Once per page; no set of the words of each page is made, which took longer than this. */
  #change(term: string, change: 1 | -1): void {
    const known = this.#changes.get(term)
    if (known === undefined) this.#changes.set(term, { pages: change, last: this.#page })
    else if (known.last !== this.#page) {
      known.pages += change
      known.last = this.#page
    }
  }

  /** Writes the counts; to be called in the transaction of the pages. */
  flush(): void {
    for (const [term, { pages }] of this.#changes)
      if (pages !== 0 && term.length <= MAX_TERM) this.#add.run(term, pages, spelling(term))
    this.#changes.clear()
  }

  /** Forgets changes of a transaction that was rolled back. */
  discard(): void {
    this.#changes.clear()
  }
}

interface TermChange {
  pages: number
  /** The page that was counted last. */
  last: number
}

/** As the tokeniser of the tables separates them. */
const TOKEN = /[0-9a-z\u0080-\uffff]+/g
const MAX_TERM = 64

/** The word from its end, if a misspelt word may have to be corrected to it. */
function spelling(term: string): string | null {
  return SPELT.test(term) ? reversed(term) : null
}

/** Letters only, of scripts whose words have several. */
const SPELT = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{4,24}$/u

export function reversed(word: string): string {
  return [...word].reverse().join('')
}
