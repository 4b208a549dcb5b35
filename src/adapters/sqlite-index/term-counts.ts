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
  readonly #changes = new Map<string, number>()

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(
      `INSERT INTO terms VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages`,
    )
  }

  /** @param change 1 for a page that is added, -1 for one that is removed */
  count(terms: Iterable<string>, change: 1 | -1): void {
    const changes = this.#changes
    for (const term of terms) changes.set(term, (changes.get(term) ?? 0) + change)
  }

  /** Writes the counts; to be called in the transaction of the pages. */
  flush(): void {
    for (const [term, change] of this.#changes)
      if (change !== 0 && term.length <= MAX_TERM) this.#add.run(term, change, spelling(term))
    this.#changes.clear()
  }

  /** Forgets changes of a transaction that was rolled back. */
  discard(): void {
    this.#changes.clear()
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
