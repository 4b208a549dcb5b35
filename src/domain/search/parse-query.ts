import { parseWebDate } from '../content/web-date.ts'
import {
  LABEL_FIELDS,
  type LabelField,
  type ParsedQuery,
  SEARCH_SORTS,
  type SearchDates,
  type SearchPhrase,
  type SearchQuery,
  type SearchSort,
} from './search-query.ts'
import { searchWords } from './search-words.ts'

/**
 * Reads a query as it was typed: words that must all be there, `"a phrase"`, `begin*`, `-word` or `NOT word`, `a OR b`, brackets,
 * `intitle:word` or `title:word`, `inurl:word`, `site:example.org`, `type:pdf` or `filetype:pdf`, `lang:en`, `before:2026-06`,
 * `after:2026-01-15`, `sort:date`. Every query is valid: unmatched quotes and brackets end with the query, misplaced operators are
 * ignored, and a field with a wrong value is taken as words.
 */
export function parseQuery(text: string): ParsedQuery {
  const pieces = piecesOf(text.slice(0, MAX_LENGTH))
  const query = new QueryReader(pieces.filter(({ kind }) => kind !== 'sort')).either()
  const sort = pieces.findLast((piece) => piece.kind === 'sort')?.sort
  return { ...(query !== undefined && { query }), ...(sort !== undefined && { sort }) }
}

/** The query without its filters (`site:`, `type:`, `lang:`, `before:`, `after:`); `''` if it has nothing else. */
export function withoutFilters(text: string): string {
  let kept = ''
  for (const [piece, field, quoted, word] of text.slice(0, MAX_LENGTH).matchAll(PIECE)) {
    const isFilter = filterOf(field?.toLowerCase(), (quoted ?? word ?? '').trim()) !== undefined
    kept = isFilter ? kept.replace(/(?:-|\bNOT\s+)$/, '') : kept + piece
  }
  return kept.replace(/\s+/g, ' ').trim()
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
  | { readonly kind: 'sort'; readonly sort: SearchSort }

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
      const name = field?.toLowerCase()
      const value = (quoted ?? word ?? '').trim()
      const sort = name === 'sort' ? SEARCH_SORTS.find((known) => known === value.toLowerCase()) : undefined
      if (sort !== undefined) {
        pieces.push({ kind: 'sort', sort })
        continue
      }
      const query = filterOf(name, value) ?? phraseOf(name, value, quoted !== undefined)
      if (query === undefined) continue
      const isBeyond = query.kind === 'phrase' && query.prefix && ++prefixes > MAX_PREFIXES
      pieces.push({ kind: 'query', query: isBeyond ? { ...query, prefix: false } : query })
    }
  }
  return pieces
}

/** The filters by their names. */
const LABELS: ReadonlyMap<string, LabelField> = new Map([
  ...LABEL_FIELDS.map((field) => [field, field] as const),
  ['filetype', 'type'],
])

function filterOf(name: string | undefined, value: string): SearchQuery | undefined {
  const field = LABELS.get(name ?? '')
  if (field !== undefined) return value === '' ? undefined : { kind: 'label', field, value }
  return name === 'before' || name === 'after' ? datesOf(name, value) : undefined
}

function datesOf(name: 'before' | 'after', value: string): SearchDates | undefined {
  const time = parseWebDate(value.replaceAll('/', '-'))
  if (time === undefined) return undefined
  return { kind: 'dates', ...(name === 'before' ? { before: time } : { from: time }) }
}

/** Where the words of a field must be. */
const SCOPES: ReadonlyMap<string, SearchPhrase['scope']> = new Map([
  ['title', 'title'],
  ['intitle', 'title'],
  ['inurl', 'url'],
])

/** A field that is not known is a word like others. */
function phraseOf(name: string | undefined, value: string, exact: boolean): SearchPhrase | undefined {
  const scope = SCOPES.get(name ?? '')
  const words = searchWords(name === undefined || scope !== undefined ? value : `${name} ${value}`)
  if (words.length === 0) return undefined
  const prefix = !exact && value.endsWith('*') && isSelective(words)
  return { kind: 'phrase', words, prefix, exact, scope: scope ?? 'any' }
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
