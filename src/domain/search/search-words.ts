/*
 * What counts as a word, the same for pages and for queries. SQLite is given words with a space between them, and has nothing to decide.
 *
 * Words are runs of letters, digits and marks, in lower case, without the accents of European scripts, full-width and other compatibility
 * forms as their plain ones. Scripts that are written without spaces, and Korean, whose words carry their particles, are cut into single characters;
 * a word in a query is then a phrase of them, so that every part of such a text can be found, however short. README.md has the figures.
 */

/**
 * A text as SQLite is to index it: its tokeniser separates words at ASCII characters that are neither letters nor digits, so that only the
 * other characters need work.
 */
export function searchText(text: string): string {
  return text.toLowerCase().replace(NON_ASCII, (run) => fold(run).replace(NOT_IN_A_WORD, ' $1 '))
}

/** The words of a text in order. */
export function searchWords(text: string): string[] {
  return fold(text).match(WORD) ?? []
}

/** A word of a text, where it stands there (UTF-16 units). */
export interface PlacedWord {
  readonly word: string
  readonly start: number
  readonly end: number
}

export function placedWords(text: string): PlacedWord[] {
  const words: PlacedWord[] = []
  for (const { 0: written, index } of text.matchAll(WORD))
    words.push({ word: fold(written), start: index, end: index + written.length })
  return words
}

/** Written without spaces, or with words that are more than one. */
const SINGLES = [
  ...[
    'Han',
    'Hiragana',
    'Katakana',
    'Bopomofo',
    'Yi',
    'Hangul',
    'Thai',
    'Lao',
    'Khmer',
    'Myanmar',
    'Tibetan',
  ],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('')
const SINGLE = `[[${SINGLES}]&&[\\p{L}\\p{N}]]\\p{M}*`
const IN_A_WORD = `[\\p{L}\\p{N}\\p{M}]--[${SINGLES}]`
const WORD = new RegExp(`${SINGLE}|[${IN_A_WORD}]+`, 'gv')
const NON_ASCII = /[^\0-\x7f]+/g
const NOT_IN_A_WORD = new RegExp(`(${SINGLE})|[^[${IN_A_WORD}]\\0-\\x7f]`, 'gv')

/** Combining marks of Latin, Greek and Cyrillic: those of other scripts are vowels, and carry meaning. */
const ACCENTS = /[\u0300-\u036f]+/g

function fold(text: string): string {
  const lower = text.toLowerCase()
  return isAscii(lower) ? lower : lower.normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase()
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text)
}
