import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { reversed } from './term-counts.ts'

/**
 * Finds words of the index that are spelt alike. Words with the same two first letters, or the same two last ones, are compared:
 * a word with mistakes at both ends is not found, and no list of misspelt forms is needed.
 */
export class SpellingSuggestions {
  readonly #starting: StatementSync
  readonly #ending: StatementSync
  readonly #pages: StatementSync

  constructor(db: DatabaseSync) {
    const like = 'SELECT term, pages FROM terms WHERE reversed IS NOT NULL AND length(term) BETWEEN ? AND ?'
    this.#starting = db.prepare(`${like} AND term >= ? AND term < ? AND pages >= ? LIMIT ${MAX_COMPARED}`)
    this.#ending = db.prepare(
      `${like} AND reversed >= ? AND reversed < ? AND pages >= ? LIMIT ${MAX_COMPARED}`,
    )
    this.#pages = db.prepare('SELECT pages FROM terms WHERE term = ?')
  }

  /** The most likely word for a misspelt one; `undefined` if the word is frequent enough, or there is none. */
  suggest(word: string): string | undefined {
    const length = word.length
    if (length < MIN_LENGTH || /\d/.test(word)) return undefined
    const { pages: own = 0 } = this.#pages.get(word) ?? {}
    const least = Math.max(1, Number(own) * RATIO)
    const most = length < LONG ? 1 : 2
    const lengths = [length - most, length + most]
    const start = word.slice(0, 2)
    const end = reversed(word).slice(0, 2)
    let best: Candidate | undefined
    for (const rows of [
      this.#starting.all(...lengths, start, after(start), least),
      this.#ending.all(...lengths, end, after(end), least),
    ])
      for (const { term, pages } of rows) {
        if (typeof term !== 'string' || term === word) continue
        const distance = editDistance(word, term, most)
        if (distance > most) continue
        const candidate = { term, distance: distance + (term[0] === word[0] ? 0 : 0.5), pages: Number(pages) }
        if (best === undefined || isBetter(candidate, best)) best = candidate
      }
    return best?.term
  }
}

interface Candidate {
  readonly term: string
  readonly distance: number
  readonly pages: number
}

/** One mistake less counts as much as ten times the pages. */
function isBetter(a: Candidate, b: Candidate): boolean {
  return Math.log10(a.pages) - a.distance > Math.log10(b.pages) - b.distance
}

const MIN_LENGTH = 4
/** Words from this length on may have two mistakes. */
const LONG = 6
/** How many times more pages a word must have than the one that was typed. */
const RATIO = 20
const MAX_COMPARED = 20_000

/** The first text after all that begin with `prefix`. */
export function after(prefix: string): string {
  return `${prefix}\u{10ffff}`
}

/**
 * The number of letters to insert, delete, replace or swap with the next one (optimal string alignment); more than `most` if it is
 * larger.
 */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      row.push(cost)
      least = Math.min(least, cost)
    }
    if (least > most) return most + 1
    beforeLast = last
    last = row
  }
  return last[b.length] ?? most + 1
}
