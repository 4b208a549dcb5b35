import type { CrawlSummary } from '../../../src/adapters/serve/responses.ts'
import { openHelp } from './keyboard-help.tsx'
import { PlaceLink } from './links.tsx'
import { placeOf } from './location.ts'
import { ThemeButton } from './theme-button.tsx'

interface HeaderProps {
  readonly pathname: string
  /** The chosen crawl; `undefined` until it is known. */
  readonly crawl: CrawlSummary | undefined
  /** The server creates and starts crawls. */
  readonly hasControl: boolean
}

export function Header({ pathname, crawl, hasControl }: HeaderProps) {
  const has = (name: CrawlSummary['capabilities'][number]) => crawl?.capabilities.includes(name) !== false
  const home = placeOf(has('search') ? '/' : '/live')
  return (
    <header class="top">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <PlaceLink to={home} class="brand" label="Orbweaver, start page">
        <Mark />
        <span>Orbweaver</span>
      </PlaceLink>
      <nav aria-label="Main">
        {hasControl && (
          <PlaceLink to="/crawls" current={pathname === '/crawls'}>
            Crawls
          </PlaceLink>
        )}
        {has('search') && (
          <PlaceLink to={placeOf('/')} current={pathname === '/'}>
            Search
          </PlaceLink>
        )}
        <PlaceLink to={placeOf('/live')} current={pathname === '/live'}>
          Live
          {crawl?.running?.state === 'running' && (
            <>
              <span class="running-dot" aria-hidden="true" />
              <span class="visually-hidden"> (running)</span>
            </>
          )}
        </PlaceLink>
        {has('reports') && (
          <PlaceLink to={placeOf('/statistics')} current={pathname === '/statistics'}>
            Statistics
          </PlaceLink>
        )}
        {has('reports') && (
          <PlaceLink to={placeOf('/hosts')} current={pathname === '/hosts'}>
            Hosts
          </PlaceLink>
        )}
      </nav>
      <span class="spring" />
      <button type="button" class="quiet-button" aria-label="Keys" title="Keys (?)" onClick={openHelp}>
        ?
      </button>
      <ThemeButton />
    </header>
  )
}

/** The logo. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 2v28M3.9 9l24.2 14M3.9 23 28.1 9" />
      <path d="M16 6.5 24.2 11.25v9.5L16 25.5l-8.2-4.75v-9.5z" />
      <path d="M16 11.5 19.9 13.75v4.5L16 20.5l-3.9-2.25v-4.5z" />
    </svg>
  )
}
