import {
  LABEL_FIELDS,
  type LabelField,
  type SearchPhrase,
  type SearchQuery,
  type SearchSort,
} from '../../domain/search/search-query.ts'

export interface ServerSearchOptions extends Readonly<Partial<Record<LabelField, string>>> {
  /** @default 0 */
  readonly offset?: number
  /** Up to 100. @default 10 */
  readonly limit?: number
  /** Overrides that of the query. @default 'relevance' */
  readonly sort?: SearchSort
}

/** The weights of the fields that a word may be in; those of the embedded index. */
export const FIELD_WEIGHTS = { title: 4, headings: 2, anchor: 2, url: 1, description: 1, content: 1 } as const

/** The words of a phrase as one text. Characters of Chinese, Japanese and Korean, which are words of their own, are joined: servers index pairs of them. */
export function phraseText({ words }: SearchPhrase): string {
  return words.reduce((text, word) =>
    text !== '' && IDEOGRAPH_LAST.test(text) && IDEOGRAPH_FIRST.test(word)
      ? `${text}${word}`
      : `${text} ${word}`,
  )
}

const IDEOGRAPHS = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}]'
const IDEOGRAPH_LAST = new RegExp(`${IDEOGRAPHS}$`, 'u')
const IDEOGRAPH_FIRST = new RegExp(`^${IDEOGRAPHS}`, 'u')
const ONE_IDEOGRAPH = new RegExp(`^${IDEOGRAPHS}$`, 'u')

/** Whether a word may begin longer ones. A single ideograph must: it is indexed only as the first of a pair. */
export function isPrefix(phrase: SearchPhrase): boolean {
  return phrase.prefix || ONE_IDEOGRAPH.test(phraseText(phrase))
}

/** Patterns of a label, with `*` for any text, by field: one of them must match. */
export function labelPatterns(
  field: LabelField,
  value: string,
): ReadonlyArray<readonly [field: string, pattern: string]> {
  const wanted = value.trim().toLowerCase()
  switch (field) {
    case 'site': {
      const name = wanted.replace(/^[a-z][a-z0-9+.-]*:\/\//, '').replace(/^\*?\./, '')
      const host = URL.parse(`http://${name}`)?.hostname || name
      return [
        ['host', host],
        ['host', `*.${host}`],
      ]
    }
    case 'type':
      return [
        ['type', wanted],
        ['type', `*/${wanted}`],
        ['type', `${wanted}/*`],
        ['url', `*.${wanted}`],
      ]
    case 'lang':
      return [
        ['lang', wanted],
        ['lang', `${wanted}-*`],
      ]
  }
}

/** The query with the labels of options as further conditions. */
export function withOptions(
  query: SearchQuery | undefined,
  options: ServerSearchOptions,
): SearchQuery | undefined {
  const labels = LABEL_FIELDS.flatMap((field): SearchQuery[] => {
    const value = options[field]?.trim() ?? ''
    return value === '' ? [] : [{ kind: 'label', field, value }]
  })
  const parts = [...(query === undefined ? [] : [query]), ...labels]
  return parts.length < 2 ? parts[0] : { kind: 'and', parts }
}

export function pageOf({ offset = 0, limit = 10 }: ServerSearchOptions): {
  readonly from: number
  readonly size: number
} {
  return { from: Math.max(0, offset), size: Math.min(100, Math.max(0, limit)) }
}
