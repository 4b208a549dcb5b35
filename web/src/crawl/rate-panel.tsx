import type { FetchHistory } from '../../../src/adapters/serve/responses.ts'
import { RateChart } from '../charts/rate-chart.tsx'
import { formatNumber, typeName } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { REFRESH_MS, useResponse } from '../parts/use-response.ts'
import { FetchFacts } from './fetch-facts.tsx'

/** Fetches over time, from the segments: up to date while a crawl runs. */
export function RatePanel({ range }: { readonly range: 'latest' | 'all' }) {
  const { value } = useResponse<FetchHistory>(placeOf('/api/history', { range }), REFRESH_MS)
  return (
    <section class="panel wide" aria-labelledby="rate">
      <h2 id="rate">Fetching over time</h2>
      {value !== undefined && value.runs > 1 && (
        <nav class="choice" aria-label="Time range">
          <PlaceLink to={placeOf('/statistics')} current={range === 'latest'}>
            Last run
          </PlaceLink>
          <PlaceLink to={placeOf('/statistics', { range: 'all' })} current={range === 'all'}>
            All {formatNumber(value.runs)} runs
          </PlaceLink>
        </nav>
      )}
      {value === undefined ? (
        <p class="loading">Loading…</p>
      ) : value.from === undefined || value.to === undefined ? (
        <p class="quiet">No page was fetched into a segment. Spiders store pages only with --keep-pages.</p>
      ) : (
        <>
          <RateChart history={value} />
          <FetchFacts totals={value.totals} spanMs={value.to - value.from} />
          {value.types.length > 0 && (
            <ul class="chips" aria-label="Content types">
              {value.types.map((type) => (
                <li key={type.value} class="chip">
                  {typeName(type.value)} <span>{formatNumber(type.count)}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  )
}
