import type { FoundPage, FoundPageLink, FoundPages } from '../../../src/adapters/serve/responses.ts'
import { formatRelativeTime, formatTime, languageName, typeName } from '../parts/format.ts'
import { PlaceLink, WebLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { safeText } from '../parts/safe-text.ts'
import { MarkedText } from './page-text.tsx'
import { type SearchState, searchPlace } from './search-state.ts'

interface ResultListProps {
  readonly state: SearchState
  readonly found: FoundPages
}

export function ResultList({ state, found: { offset, hits, siteLinks = [] } }: ResultListProps) {
  return (
    <ol class="results" start={offset + 1} aria-label="Results">
      {hits.map((hit, i) => (
        <Result key={hit.id} hit={hit} state={state} links={i === 0 ? siteLinks : []} />
      ))}
    </ol>
  )
}

interface ResultProps {
  readonly hit: FoundPage
  readonly state: SearchState
  /** More pages of its site. */
  readonly links: readonly FoundPageLink[]
}

export function Result({ hit, state, links }: ResultProps) {
  const { id, url, titleParts, snippet, host, type, lang, tstamp, date, similar = [] } = hit
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
        {date !== undefined && <time title="Date of the page">{formatTime(date)}</time>}
        <time title={`fetched ${formatTime(tstamp)}`}>fetched {formatRelativeTime(tstamp)}</time>
        <PlaceLink to={placeOf('/url', { url: id })}>About this URL</PlaceLink>
      </p>
      <PageLinks title="More of this site" links={links} />
      <PageLinks title="Similar pages" links={similar} />
    </li>
  )
}

function PageLinks({ title, links }: { readonly title: string; readonly links: readonly FoundPageLink[] }) {
  if (links.length === 0) return null
  return (
    <ul class="page-links" aria-label={title}>
      <li class="page-links-title">{title}</li>
      {links.map(({ url, title: name }) => (
        <li key={url}>
          <WebLink url={url}>{name === '' ? undefined : safeText(name)}</WebLink>
        </li>
      ))}
    </ul>
  )
}
