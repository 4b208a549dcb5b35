import type { FoundPages, SearchResponse } from '../../../src/adapters/serve/responses.ts'
import { formatCount, formatNumber } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { goTo, useTitle } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { useResponse } from '../parts/use-response.ts'
import { Facets } from './facets.tsx'
import { Preview } from './preview.tsx'
import { ResultList } from './result.tsx'
import { SearchBox } from './search-box.tsx'
import { Correction, NoIndex, NoResults, Suggestion } from './search-notices.tsx'
import {
  feedAddress,
  PAGE_SIZE,
  type SearchState,
  searchAddress,
  searchPlace,
  searchState,
} from './search-state.ts'
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
              <Suggestion state={state} suggestion={found.suggestion} />
              <Correction state={state} corrected={found.corrected} />
              <Summary found={found} state={state} />
              {found.hits.length === 0 ? (
                <NoResults state={state} unfiltered={found.unfiltered} />
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

/** The number of results, and which of them are shown. */
function Summary({ found, state }: { readonly found: FoundPages; readonly state: SearchState }) {
  const { offset, hits, total, exact, relaxed, tookMs } = found
  if (hits.length === 0) return null
  const all = `${exact ? '' : 'more than '}${formatCount(total, 'page')}`
  return (
    <p class="summary" role="status">
      {relaxed && <strong>No page contains all words. These contain some of them. </strong>}
      {total <= PAGE_SIZE
        ? all
        : `${formatNumber(offset + 1)}–${formatNumber(offset + hits.length)} of ${all}`}
      <span class="took"> · {tookMs < 1 ? 'under 1' : Math.round(tookMs)} ms</span>
      <span class="orders">
        {' · '}
        {state.sort === 'date' ? (
          <PlaceLink to={searchPlace({ ...state, sort: '', page: 1 })}>Sort by relevance</PlaceLink>
        ) : (
          <PlaceLink to={searchPlace({ ...state, sort: 'date', page: 1 })}>Sort by date</PlaceLink>
        )}
        {' · '}
        <a href={feedAddress(state)}>RSS</a>
      </span>
    </p>
  )
}

interface PagerProps {
  readonly state: SearchState
  readonly pages: number
}

function Pager({ state, pages }: PagerProps) {
  if (pages <= 1 && state.page === 1) return null
  const to = (page: number) => searchPlace({ ...state, page, preview: '' })
  return (
    <nav class="pager" aria-label="Pages of results">
      <PagerLink key="before" to={state.page > 1 ? to(state.page - 1) : undefined} text="← Previous" />
      <span key="where" class="pager-where">
        Page {formatNumber(state.page)} of {formatNumber(pages)}
      </span>
      <PagerLink key="next" to={state.page < pages ? to(state.page + 1) : undefined} text="Next →" />
    </nav>
  )
}

/** Plain text if there is no such page, so that the layout does not change. */
function PagerLink({ to, text }: { readonly to: string | undefined; readonly text: string }) {
  return to === undefined ? <span>{text}</span> : <PlaceLink to={to}>{text}</PlaceLink>
}
