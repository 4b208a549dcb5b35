import { LABEL_FIELDS, type LabelField } from './page-labels.ts'
import { searchWords } from './search-words.ts'

/** What a user looks for. */
export type SearchQuery =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly SearchQuery[] }
  | { readonly kind: 'not'; readonly part: SearchQuery }
  | SearchPhrase
  | { readonly kind: 'label'; readonly field: LabelField; readonly value: string }

/** Words that follow one another; one word, mostly. */
export interface SearchPhrase {
  readonly kind: 'phrase'
  /** At least one. */
  readonly words: readonly string[]
  /** The last word may be a prefix. */
  readonly prefix: boolean
  /** Only in titles. */
  readonly inTitle: boolean
}

/**
 * Reads a query as it was typed: words that must all be there, `"a phrase"`, `begin*`, `-word` or `NOT word`, `a OR b`, brackets, `title:word`,
 * `site:example.org`, `type:pdf`, `lang:en`. Every query is valid: unmatched quotes and brackets end with the query,
 * and misplaced operators are ignored. `undefined` if the query is empty.
 */
export function parseQuery(text: string): SearchQuery | undefined {
  return new QueryReader(piecesOf(text.slice(0, MAX_LENGTH))).either()
}

/** Longer queries are truncated. */
const MAX_LENGTH = 1_000
/** Terms with `*`: each makes the index read every word that begins so. Further ones are taken without it. */
const MAX_PREFIXES = 4
/** Letters that the beginning of a word must have; half of an index may begin with one. Ideographs are words of their own. */
const MIN_PREFIX_LETTERS = 2
const FIRST_IDEOGRAPH = '\u2e80'
/** Brackets within brackets; deeper ones are ignored. */
const MAX_DEPTH = 20

type Piece =
  | { readonly kind: '(' | ')' | '-' | 'AND' | 'OR' | 'NOT' }
  | { readonly kind: 'query'; readonly query: SearchQuery }

const PIECE = /\s+|[()]|-(?=[^\s-])|(?:(\p{L}+):(?=\S))?(?:"([^"]*)(?:"|$)|([^\s()"]+))/gu

/** Only brackets that open something are closed here. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let depth = 0
  let prefixes = 0
  for (const [piece, field, quoted, word] of text.matchAll(PIECE)) {
    if (piece === '(') {
      if (++depth <= MAX_DEPTH) pieces.push({ kind: piece })
    } else if (piece === ')') {
      if (depth > 0 && depth-- <= MAX_DEPTH) pieces.push({ kind: piece })
    } else if (piece === '-' && word === undefined) pieces.push({ kind: piece })
    else if (field === undefined && (word === 'AND' || word === 'OR' || word === 'NOT'))
      pieces.push({ kind: word })
    else {
      const query = leafOf(field, quoted, word)
      if (query === undefined) continue
      const isBeyond = query.kind === 'phrase' && query.prefix && ++prefixes > MAX_PREFIXES
      pieces.push({ kind: 'query', query: isBeyond ? { ...query, prefix: false } : query })
    }
  }
  return pieces
}

function leafOf(
  field: string | undefined,
  quoted: string | undefined,
  word: string | undefined,
): SearchQuery | undefined {
  const name = field?.toLowerCase()
  const value = quoted ?? word ?? ''
  const label = LABEL_FIELDS.find((known) => known === name)
  if (label !== undefined) return value.trim() === '' ? undefined : { kind: 'label', field: label, value }
  const inTitle = name === 'title'
  const words = searchWords(field === undefined || inTitle ? value : `${field} ${value}`)
  return words.length === 0
    ? undefined
    : {
        kind: 'phrase',
        words,
        prefix: quoted === undefined && value.endsWith('*') && isSelective(words),
        inTitle,
      }
}

function isSelective(words: readonly string[]): boolean {
  const last = words.at(-1) ?? ''
  return last.length >= MIN_PREFIX_LETTERS || last >= FIRST_IDEOGRAPH
}

/** Recursive descent; OR binds least. */
class QueryReader {
  readonly #pieces: readonly Piece[]
  #next = 0

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces
  }

  either(): SearchQuery | undefined {
    const parts: SearchQuery[] = []
    do {
      const part = this.#all()
      if (part !== undefined) parts.push(part)
    } while (this.#take('OR'))
    return joined('or', parts)
  }

  #all(): SearchQuery | undefined {
    const parts: SearchQuery[] = []
    for (;;) {
      const kind = this.#pieces[this.#next]?.kind
      if (kind === undefined || kind === 'OR' || kind === ')') return joined('and', parts)
      if (this.#take('AND')) continue
      const part = this.#one()
      if (part !== undefined) parts.push(part)
    }
  }

  #one(): SearchQuery | undefined {
    let negative = false
    while (this.#take('-') || this.#take('NOT')) negative = !negative
    const part = this.#leaf()
    if (part === undefined || !negative) return part
    return { kind: 'not', part }
  }

  #leaf(): SearchQuery | undefined {
    const piece = this.#pieces[this.#next]
    if (piece?.kind === 'query') {
      this.#next++
      return piece.query
    }
    if (!this.#take('(')) return undefined
    const part = this.either()
    this.#take(')')
    return part
  }

  #take(kind: Piece['kind']): boolean {
    const found = this.#pieces[this.#next]?.kind === kind
    if (found) this.#next++
    return found
  }
}

function joined(kind: 'and' | 'or', parts: readonly SearchQuery[]): SearchQuery | undefined {
  return parts.length < 2 ? parts[0] : { kind, parts }
}
