import type { HostReport } from '../../../src/adapters/serve/responses.ts'
import { StatusChart } from '../charts/status-chart.tsx'
import { formatCount } from '../parts/format.ts'
import { FreshnessNote } from '../parts/freshness-note.tsx'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf, useTitle } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { safeText } from '../parts/safe-text.ts'
import { useResponse } from '../parts/use-response.ts'
import { FetchFacts } from './fetch-facts.tsx'
import { FetchTable } from './fetch-table.tsx'
import { HostFactsPanel } from './host-facts-panel.tsx'
import { UrlTable } from './url-table.tsx'

export function HostPage({ host }: { readonly host: string }) {
  const { value, problem } = useResponse<HostReport>(placeOf('/api/host', { host }))
  useTitle(host)
  if (problem !== undefined)
    return (
      <Notice title={host === '' ? 'No host given' : host}>
        <p>{problem}</p>
      </Notice>
    )
  if (value === undefined) return <p class="loading">Loading…</p>
  const { db, fetches, recent } = value
  return (
    <div class="page">
      <div class="page-head">
        <p class="kind">Host</p>
        <h1>{safeText(value.host)}</h1>
        <p class="lead">
          {db !== undefined && `${formatCount(db.figures.urls, 'URL')}, ${db.figures.due} due now · `}
          <PlaceLink to={placeOf('/', { site: value.host })}>Search its pages</PlaceLink>
        </p>
        <FreshnessNote freshness={value.freshness} />
      </div>
      <div class="panels">
        {db !== undefined && (
          <section class="panel" aria-labelledby="statuses">
            <h2 id="statuses">URLs by status</h2>
            <StatusChart statuses={db.statuses} />
          </section>
        )}
        <section class="panel" aria-labelledby="fetches">
          <h2 id="fetches">Fetches</h2>
          <FetchFacts totals={fetches} />
        </section>
        {db?.facts !== undefined && <HostFactsPanel facts={db.facts} />}
        {db !== undefined && (
          <section class="panel wide" aria-labelledby="urls">
            <h2 id="urls">
              URLs, highest score first
              {db.figures.urls > db.urls.length && <span class="aside"> the first {db.urls.length}</span>}
            </h2>
            <UrlTable urls={db.urls} />
          </section>
        )}
        {recent.length > 0 && (
          <section class="panel wide" aria-labelledby="recent">
            <h2 id="recent">Latest fetches</h2>
            <FetchTable fetches={recent} />
          </section>
        )}
      </div>
    </div>
  )
}
