import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { prepareWrite } from './prepare-write.ts'
import { TermTable } from './term-table.ts'

/** A count that is not one of a word: its name has a colon, which words do not have. */
export const PAGE_COUNT = ':pages'
export const LANGUAGE_COUNT = ':lang '

/**
 * In how many pages each word is. Kept with the pages in one transaction, because FTS5 would have to read the whole list of a
 * word's pages to count them, and cannot list words that end alike.
 */
export class TermCounts {
  readonly #add: StatementSync
  readonly #words = new TermTable()
  readonly #others = new Map<string, number>()

  constructor(db: DatabaseSync) {
    this.#add = prepareWrite(
      db,
      `INSERT INTO terms VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages`,
    )
  }

  /**
   * @param texts of a page, as `searchText` makes them
   * @param names of other counts
   * @param change 1 for a page that is added, -1 for one that is removed
   */
  count(texts: readonly string[], names: readonly string[], change: 1 | -1): void {
    for (const name of names) this.#others.set(name, (this.#others.get(name) ?? 0) + change)
    this.#words.countPage(texts, change)
  }

  /** Writes the counts; to be called in the transaction of the pages. */
  flush(): void {
    for (const [name, pages] of this.#others) if (pages !== 0) this.#add.run(name, pages, null)
    for (const [term, pages] of this.#words.counts())
      if (pages !== 0 && term.length <= MAX_TERM) this.#add.run(term, pages, spelling(term))
    this.discard()
  }

  /** Forgets changes of a transaction that was rolled back. */
  discard(): void {
    this.#others.clear()
    this.#words.clear()
  }
}

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
