import type { FoundPage, FoundPages } from '../../../src/adapters/serve/responses.ts'
import { formatRelativeTime, formatTime, languageName, typeName } from '../parts/format.ts'
import { PlaceLink, WebLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { MarkedText } from './page-text.tsx'
import { type SearchState, searchPlace } from './search-state.ts'

interface ResultListProps {
  readonly state: SearchState
  readonly found: FoundPages
}

export function ResultList({ state, found: { offset, hits } }: ResultListProps) {
  return (
    <ol class="results" start={offset + 1} aria-label="Results">
      {hits.map((hit) => (
        <Result key={hit.id} hit={hit} state={state} />
      ))}
    </ol>
  )
}

interface ResultProps {
  readonly hit: FoundPage
  readonly state: SearchState
}

export function Result({ hit, state }: ResultProps) {
  const { id, url, titleParts, snippet, host, type, lang, tstamp } = hit
  const isOpen = state.preview === id
  return (
    <li class={`result ${isOpen ? 'open' : ''}`} data-id={id} data-url={url}>
      <WebLink url={url} class="result-url" />
      <h2>
        <PlaceLink to={searchPlace({ ...state, preview: id })} title="Show the stored page">
          {titleParts.length === 0 ? 'Untitled page' : <MarkedText parts={titleParts} />}
        </PlaceLink>
      </h2>
      <p class="snippet">
        <MarkedText parts={snippet} />
      </p>
      <p class="facts">
        <PlaceLink to={placeOf('/host', { host })}>{host}</PlaceLink>
        {type !== undefined && <span>{typeName(type)}</span>}
        {lang !== undefined && <span>{languageName(lang)}</span>}
        <time title={formatTime(tstamp)}>{formatRelativeTime(tstamp)}</time>
        <PlaceLink to={placeOf('/url', { url: id })}>About this URL</PlaceLink>
      </p>
    </li>
  )
}
