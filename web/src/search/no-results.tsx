import { Notice } from '../parts/notice.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { type SearchState, searchPlace } from './search-state.ts'

export function NoResults({ state }: { readonly state: SearchState }) {
  const isFiltered = `${state.site}${state.type}${state.lang}` !== ''
  return (
    <Notice title={state.q === '' ? 'No page passes these filters' : `No page has “${state.q}”`}>
      <ul>
        {isFiltered && (
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
        <li>
          End a word with <code>*</code> to find whatever begins so: <code>spid*</code>.
        </li>
        <li>Pages fetched since the index was made are found after the next “orbweaver index”.</li>
      </ul>
    </Notice>
  )
}
