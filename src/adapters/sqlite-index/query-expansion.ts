import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SearchPhrase } from '../../domain/search/search-query.ts'
import { guessLanguage, LANGUAGE_WORDS } from './guess-language.ts'
import { stemmerOf } from './stemmers.ts'
import { after } from './suggest-spelling.ts'
import { LANGUAGE_COUNT, PAGE_COUNT } from './term-counts.ts'

/** Other words that a page may have in place of one of a query. */
export interface Alternatives {
  /** Forms of the word: `indexes` for `index`. */
  readonly forms: readonly string[]
  /** Phrases, each of one or more words. */
  readonly synonyms: readonly (readonly string[])[]
}

export const NO_ALTERNATIVES: Alternatives = { forms: [], synonyms: [] }

/**
 * Finds other forms of words among the words of the index, by the stemmers of its languages. The index has the words as they are
 * written, so that exact forms can rank higher and nothing has to be indexed twice.
 */
export class QueryExpansion {
  readonly #near: StatementSync
  readonly #languages: StatementSync
  readonly #telling: StatementSync

  constructor(db: DatabaseSync) {
    this.#near = db.prepare(
      `SELECT term FROM terms WHERE term >= ? AND term < ? AND length(term) <= ? AND pages > 0 LIMIT ${MAX_COMPARED}`,
    )
    this.#languages = db.prepare(
      `SELECT substr(term, ${LANGUAGE_COUNT.length + 1}) AS lang, pages FROM terms
       WHERE term >= ? AND term < ? AND pages > 0 ORDER BY pages DESC LIMIT ${MAX_LANGUAGES}`,
    )
    this.#telling = db.prepare(
      `SELECT term, pages FROM terms WHERE term IN (${[PAGE_COUNT, ...LANGUAGE_WORDS].map(() => '?').join(', ')})`,
    )
  }

  /** The languages that most pages of the index are in: those that pages declare, and one by its words if most pages declare none. */
  languages(): string[] {
    const rows = this.#languages.all(LANGUAGE_COUNT, after(LANGUAGE_COUNT))
    const declared = rows.map(({ lang }) => String(lang))
    const guessed = this.#guessed(rows.reduce((sum, { pages }) => sum + Number(pages), 0))
    return guessed === undefined ? declared : [...new Set([guessed, ...declared])].slice(0, MAX_LANGUAGES)
  }

  /** @param declared number of pages that declare a language */
  #guessed(declared: number): string | undefined {
    const rows = this.#telling.all(PAGE_COUNT, ...LANGUAGE_WORDS)
    const counts = new Map(rows.map(({ term, pages }) => [String(term), Number(pages)]))
    const pages = counts.get(PAGE_COUNT) ?? 0
    return declared * 2 < pages ? guessLanguage((word) => counts.get(word) ?? 0, pages) : undefined
  }

  /** @param languages whose forms are wanted */
  alternativesOf(
    { words, prefix, exact }: SearchPhrase,
    languages: readonly string[],
    synonyms: Synonyms,
  ): Alternatives {
    if (exact || prefix) return NO_ALTERNATIVES
    const [word = ''] = words
    return {
      forms: words.length === 1 ? this.#formsOf(word, languages) : [],
      synonyms: synonyms.get(words.join(' ')) ?? [],
    }
  }

  #formsOf(word: string, languages: readonly string[]): string[] {
    if (word.length < MIN_LENGTH || /\d/.test(word)) return []
    const forms = new Set<string>()
    for (const lang of languages) {
      const stemmer = stemmerOf(lang)
      if (stemmer === undefined) continue
      const stem = stemmer(word)
      // The last letter of a stem may be another in a word: “happi” and “happy”.
      const start = word.slice(0, Math.max(MIN_LENGTH - 1, commonStart(word, stem) - 1))
      for (const { term } of this.#near.all(start, after(start), word.length + MAX_ENDING))
        if (typeof term === 'string' && term !== word && stemmer(term) === stem) forms.add(term)
    }
    return [...forms].slice(0, MAX_FORMS)
  }
}

/** Phrases with the same meaning, by each of them; words separated by spaces. */
export type Synonyms = ReadonlyMap<string, readonly (readonly string[])[]>

const MAX_LANGUAGES = 3
const MIN_LENGTH = 3
const MAX_FORMS = 12
const MAX_COMPARED = 2_000
/** Letters that a form may have more than the word. */
const MAX_ENDING = 5

function commonStart(a: string, b: string): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i
}
