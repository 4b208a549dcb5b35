import type { HostReport } from '../../../src/adapters/serve/answers.ts'
import { StatusChart } from '../charts/status-chart.tsx'
import { useAnswer } from '../parts/ask.ts'
import { FreshnessNote } from '../parts/freshness-note.tsx'
import { placeOf } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { PlaceLink } from '../parts/place-link.tsx'
import { counted } from '../parts/shown.ts'
import { useTitle } from '../parts/use-title.ts'
import { UrlTable } from './url-table.tsx'
import { VisitFacts } from './visit-facts.tsx'
import { VisitTable } from './visit-table.tsx'

export function HostPage({ host }: { readonly host: string }) {
  const { value, problem } = useAnswer<HostReport>(placeOf('/api/host', { host }))
  useTitle(host)
  if (problem !== undefined)
    return (
      <Notice title={host === '' ? 'Which host?' : host}>
        <p>{problem}</p>
      </Notice>
    )
  if (value === undefined) return <p class="loading">Looking…</p>
  const { db, visits, recent } = value
  return (
    <div class="page">
      <div class="page-head">
        <p class="kind">Host</p>
        <h1>{value.host}</h1>
        <p class="lead">
          {db !== undefined && `${counted(db.figures.urls, 'URL')}, ${db.figures.due} due now · `}
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
        <section class="panel" aria-labelledby="visits">
          <h2 id="visits">Visits</h2>
          <VisitFacts totals={visits} />
        </section>
        {db !== undefined && (
          <section class="panel wide" aria-labelledby="urls">
            <h2 id="urls">
              URLs, best score first
              {db.figures.urls > db.urls.length && <span class="aside"> the first {db.urls.length}</span>}
            </h2>
            <UrlTable urls={db.urls} />
          </section>
        )}
        {recent.length > 0 && (
          <section class="panel wide" aria-labelledby="recent">
            <h2 id="recent">Latest visits</h2>
            <VisitTable visits={recent} />
          </section>
        )}
      </div>
    </div>
  )
}
