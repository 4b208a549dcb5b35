import { placeOf } from '../parts/location.ts'

/** A search, as in the address of the page. */
export interface SearchState {
  readonly q: string
  readonly site: string
  readonly type: string
  readonly lang: string
  /** `date`, or `''` for relevance. */
  readonly sort: string
  /** From 1. */
  readonly page: number
  /** The id of the document whose text is shown. */
  readonly preview: string
}

export const PAGE_SIZE = 10

export type FilterName = 'site' | 'type' | 'lang'

export function searchState(parameters: URLSearchParams): SearchState {
  const text = (name: string) => parameters.get(name) ?? ''
  const page = Number(text('page'))
  return {
    q: text('q'),
    site: text('site'),
    type: text('type'),
    lang: text('lang'),
    sort: text('sort') === 'date' ? 'date' : '',
    page: Number.isInteger(page) && page > 0 ? page : 1,
    preview: text('preview'),
  }
}

/** The place of the page that shows a state. */
export function searchPlace({ page, ...state }: SearchState): string {
  return placeOf('/', { ...state, page: page === 1 ? undefined : page })
}

/** The API request for a search; `undefined` for an empty one. */
export function searchAddress({ q, site, type, lang, sort, page }: SearchState): string | undefined {
  if (`${q.trim()}${site}${type}${lang}` === '') return undefined
  const offset = (page - 1) * PAGE_SIZE
  return placeOf('/api/search', { q, site, type, lang, sort, offset, limit: PAGE_SIZE })
}

/** The same results as RSS. */
export function feedAddress({ q, site, type, lang, sort }: SearchState): string {
  return placeOf('/api/search.rss', { q, site, type, lang, sort })
}
