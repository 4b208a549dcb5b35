import type { Overview } from '../../../src/adapters/serve/responses.ts'
import { DueChart } from '../charts/due-chart.tsx'
import { StatusChart } from '../charts/status-chart.tsx'
import { formatCount } from '../parts/format.ts'
import { FreshnessNote } from '../parts/freshness-note.tsx'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf, useTitle } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { REFRESH_MS, useResponse } from '../parts/use-response.ts'
import { HostTable } from './host-table.tsx'
import { RatePanel } from './rate-panel.tsx'
import { UrlTable } from './url-table.tsx'

export function StatisticsPage({ range }: { readonly range: 'latest' | 'all' }) {
  const { value, problem } = useResponse<Overview>(placeOf('/api/overview'), REFRESH_MS)
  useTitle('Statistics')
  if (problem !== undefined)
    return (
      <Notice title="Request failed">
        <p>{problem}</p>
      </Notice>
    )
  if (value === undefined) return <p class="loading">Loading…</p>
  const { db, freshness, directory, segments } = value
  return (
    <div class="page">
      <div class="page-head">
        <h1>Statistics</h1>
        <p class="lead">
          <code>{directory}</code>
          {db !== undefined && ` · ${formatCount(db.total, 'URL')} · ${formatCount(db.hosts, 'host')}`} ·{' '}
          {formatCount(segments, 'segment')}
        </p>
        <FreshnessNote freshness={freshness} />
      </div>
      <div class="panels">
        {db !== undefined && db.total > 0 && (
          <section class="panel" aria-labelledby="statuses">
            <h2 id="statuses">URLs by status</h2>
            <StatusChart statuses={db.statuses} />
          </section>
        )}
        {db !== undefined && db.total > 0 && (
          <section class="panel" aria-labelledby="due">
            <h2 id="due">Next fetch</h2>
            <DueChart due={db.due} />
          </section>
        )}
        <RatePanel range={range} />
        {db !== undefined && db.topHosts.length > 0 && (
          <section class="panel wide" aria-labelledby="hosts">
            <h2 id="hosts">
              Hosts
              {db.hosts > db.topHosts.length && <span class="aside"> the largest {db.topHosts.length}</span>}{' '}
              <PlaceLink to={placeOf('/hosts')} class="aside">
                all hosts
              </PlaceLink>
            </h2>
            <HostTable hosts={db.topHosts} />
          </section>
        )}
        {db !== undefined && db.due.next.length > 0 && (
          <section class="panel wide" aria-labelledby="next">
            <h2 id="next">{db.due.now > 0 ? 'Due URLs, highest score first' : 'Next due URLs'}</h2>
            <UrlTable urls={db.due.next} />
          </section>
        )}
      </div>
      {db?.total === 0 && (
        <Notice title="This crawl has no URLs">
          <p>Add a seed:</p>
          <pre>
            <code>npx orbweaver crawl {directory} https://example.org/</code>
          </pre>
        </Notice>
      )}
    </div>
  )
}
