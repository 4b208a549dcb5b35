import type { UnfilteredResult } from '../../../src/domain/search/search-query.ts'
import { formatCount } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { safeText } from '../parts/safe-text.ts'
import { type SearchState, searchPlace } from './search-state.ts'

/** Another spelling of the query. */
export function Suggestion({
  state,
  suggestion,
}: {
  readonly state: SearchState
  readonly suggestion: string | undefined
}) {
  if (suggestion === undefined) return null
  return (
    <p class="suggestion">
      Did you mean{' '}
      <PlaceLink to={searchPlace({ ...state, q: suggestion, page: 1, preview: '' })}>
        {safeText(suggestion)}
      </PlaceLink>
      ?
    </p>
  )
}

/** The query that was searched instead, with a link to the one that was typed: in quotes, it is searched as it is. */
export function Correction({
  state,
  corrected,
}: {
  readonly state: SearchState
  readonly corrected: string | undefined
}) {
  if (corrected === undefined) return null
  const typed = `"${state.q.replaceAll('"', ' ').trim()}"`
  return (
    <p class="suggestion">
      No page matches “{safeText(state.q)}”. These are results for{' '}
      <PlaceLink to={searchPlace({ ...state, q: corrected, page: 1, preview: '' })}>
        {safeText(corrected)}
      </PlaceLink>
      . <PlaceLink to={searchPlace({ ...state, q: typed, page: 1, preview: '' })}>Search as typed</PlaceLink>
    </p>
  )
}

export function NoResults({
  state,
  unfiltered,
}: {
  readonly state: SearchState
  readonly unfiltered: UnfilteredResult | undefined
}) {
  const isFiltered = `${state.site}${state.type}${state.lang}` !== ''
  return (
    <Notice title={state.q === '' ? 'No page matches these filters' : `No page matches “${state.q}”`}>
      <ul>
        {unfiltered !== undefined && (
          <li>
            <PlaceLink
              to={searchPlace({ ...state, q: unfiltered.query, site: '', type: '', lang: '', page: 1 })}
            >
              {unfiltered.exact ? '' : 'More than '}
              {formatCount(unfiltered.total, 'page')}
            </PlaceLink>{' '}
            for “{safeText(unfiltered.query)}” without the filters
          </li>
        )}
        {isFiltered && unfiltered === undefined && (
          <li>
            <PlaceLink to={searchPlace({ ...state, site: '', type: '', lang: '', page: 1 })}>
              Search without filters
            </PlaceLink>
          </li>
        )}
        {state.page > 1 && (
          <li>
            <PlaceLink to={searchPlace({ ...state, page: 1 })}>Go to the first page</PlaceLink>
          </li>
        )}
        {fewerWords(state.q).map((q) => (
          <li key={q}>
            Search for <PlaceLink to={searchPlace({ ...state, q, page: 1 })}>{safeText(q)}</PlaceLink> only
          </li>
        ))}
        <li>
          Use <code>*</code> for a prefix: <code>spid*</code>.
        </li>
        <li>Pages fetched after the last index update are found after the next “orbweaver index”.</li>
      </ul>
    </Notice>
  )
}

/** Each word of a query of two to four plain words. */
function fewerWords(q: string): string[] {
  const words = q.trim().split(/\s+/)
  return words.length > 1 && words.length <= 4 && /^[\p{L}\p{N}\s]+$/u.test(q) ? words : []
}

export function NoIndex({ directory }: { readonly directory: string }) {
  return (
    <Notice title="This crawl has no search index yet">
      <p>Create it, and search again:</p>
      <pre>
        <code>npx orbweaver index {directory}</code>
      </pre>
      <p>
        The <PlaceLink to={placeOf('/statistics')}>statistics</PlaceLink> are available without it.
      </p>
    </Notice>
  )
}
