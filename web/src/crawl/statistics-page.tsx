import type { Overview } from '../../../src/adapters/serve/answers.ts'
import { DueChart } from '../charts/due-chart.tsx'
import { StatusChart } from '../charts/status-chart.tsx'
import { useAnswer } from '../parts/ask.ts'
import { FreshnessNote } from '../parts/freshness-note.tsx'
import { Notice } from '../parts/notice.tsx'
import { counted } from '../parts/shown.ts'
import { useTitle } from '../parts/use-title.ts'
import { HostTable } from './host-table.tsx'
import { RatePanel } from './rate-panel.tsx'
import { REFRESH_MS } from './refresh-ms.ts'
import { UrlTable } from './url-table.tsx'

export function StatisticsPage({ range }: { readonly range: 'latest' | 'all' }) {
  const { value, problem } = useAnswer<Overview>('/api/overview', REFRESH_MS)
  useTitle('Statistics')
  if (problem !== undefined)
    return (
      <Notice title="That did not work">
        <p>{problem}</p>
      </Notice>
    )
  if (value === undefined) return <p class="loading">Counting…</p>
  const { db, freshness, directory, segments } = value
  return (
    <div class="page">
      <div class="page-head">
        <h1>Statistics</h1>
        <p class="lead">
          <code>{directory}</code>
          {db !== undefined && ` · ${counted(db.total, 'URL')} · ${counted(db.hosts, 'host')}`} ·{' '}
          {counted(segments, 'segment')}
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
            <h2 id="due">When they come due</h2>
            <DueChart due={db.due} />
          </section>
        )}
        <RatePanel range={range} />
        {db !== undefined && db.topHosts.length > 0 && (
          <section class="panel wide" aria-labelledby="hosts">
            <h2 id="hosts">
              Hosts
              {db.hosts > db.topHosts.length && <span class="aside"> the largest {db.topHosts.length}</span>}
            </h2>
            <HostTable hosts={db.topHosts} />
          </section>
        )}
        {db !== undefined && db.due.next.length > 0 && (
          <section class="panel wide" aria-labelledby="next">
            <h2 id="next">{db.due.now > 0 ? 'What is due, best first' : 'What comes due first'}</h2>
            <UrlTable urls={db.due.next} />
          </section>
        )}
      </div>
      {db?.total === 0 && (
        <Notice title="No URL is known">
          <p>Give the crawl a seed:</p>
          <pre>
            <code>npx orbweaver crawl {directory} https://example.org/</code>
          </pre>
        </Notice>
      )}
    </div>
  )
}
