import { PlaceLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { type SearchState, searchPlace } from './search-state.ts'

export function NoResults({ state }: { readonly state: SearchState }) {
  const isFiltered = `${state.site}${state.type}${state.lang}` !== ''
  return (
    <Notice title={state.q === '' ? 'No page matches these filters' : `No page matches “${state.q}”`}>
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
          Use <code>*</code> for a prefix: <code>spid*</code>.
        </li>
        <li>Pages fetched after the last index update are found after the next “orbweaver index”.</li>
      </ul>
    </Notice>
  )
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
