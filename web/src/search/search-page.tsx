import type { SearchResponse } from '../../../src/adapters/serve/responses.ts'
import { goTo } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { useResponse } from '../parts/use-response.ts'
import { useTitle } from '../parts/use-title.ts'
import { Facets } from './facets.tsx'
import { Pager } from './pager.tsx'
import { Preview } from './preview.tsx'
import { ResultList } from './result.tsx'
import { SearchBox } from './search-box.tsx'
import { NoIndex, NoResults } from './search-notices.tsx'
import { PAGE_SIZE, type SearchState, searchAddress, searchPlace, searchState } from './search-state.ts'
import { Summary } from './summary.tsx'
import { useSearchKeys } from './use-search-keys.ts'
import { Welcome } from './welcome.tsx'

export function SearchPage({ parameters }: { readonly parameters: URLSearchParams }) {
  const state = searchState(parameters)
  const address = searchAddress(state)
  const response = useResponse<SearchResponse>(address)
  const found = response.value?.kind === 'found' ? response.value : undefined
  const pages = Math.ceil((found?.total ?? 0) / PAGE_SIZE)
  const change = (changes: Partial<SearchState>) => goTo(searchPlace({ ...state, ...changes }))
  useSearchKeys(state, pages, change)
  useTitle(state.q)

  const hasPreview = state.preview !== ''
  return (
    <div class={`search ${address === undefined ? 'blank' : ''} ${hasPreview ? 'with-preview' : ''}`}>
      <search>
        <SearchBox state={state} />
      </search>
      {address === undefined ? (
        <Welcome />
      ) : response.problem !== undefined ? (
        <Notice title="Search failed">
          <p>{response.problem}</p>
        </Notice>
      ) : response.value?.kind === 'no-index' ? (
        <NoIndex directory={response.value.directory} />
      ) : (
        found !== undefined && (
          <div class="columns" aria-busy={response.loading}>
            <Facets state={state} facets={found.facets} />
            <div class="found">
              <Summary found={found} />
              {found.hits.length === 0 ? (
                <NoResults state={state} />
              ) : (
                <ResultList state={state} found={found} />
              )}
              <Pager state={state} pages={pages} />
            </div>
            {hasPreview && (
              <Preview id={state.preview} state={state} onClose={() => change({ preview: '' })} />
            )}
          </div>
        )
      )}
    </div>
  )
}
