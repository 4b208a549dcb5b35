import type { SearchHit } from '../../../src/adapters/serve/answers.ts'
import { placeOf } from '../parts/location.ts'
import { PlaceLink } from '../parts/place-link.tsx'
import { fromNow, languageName, moment, typeName } from '../parts/shown.ts'
import { WebLink } from '../parts/web-link.tsx'
import { MarkedText } from './marked-text.tsx'
import { type SearchState, searchPlace } from './search-state.ts'

interface ResultProps {
  readonly hit: SearchHit
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
          {titleParts.length === 0 ? 'Without a title' : <MarkedText parts={titleParts} />}
        </PlaceLink>
      </h2>
      <p class="snippet">
        <MarkedText parts={snippet} />
      </p>
      <p class="facts">
        <PlaceLink to={placeOf('/host', { host })}>{host}</PlaceLink>
        {type !== undefined && <span>{typeName(type)}</span>}
        {lang !== undefined && <span>{languageName(lang)}</span>}
        <time title={moment(tstamp)}>{fromNow(tstamp)}</time>
        <PlaceLink to={placeOf('/url', { url: id })}>About this URL</PlaceLink>
      </p>
    </li>
  )
}
