import type { VisitHistory } from '../../../src/adapters/serve/answers.ts'
import { RateChart } from '../charts/rate-chart.tsx'
import { useAnswer } from '../parts/ask.ts'
import { placeOf } from '../parts/location.ts'
import { PlaceLink } from '../parts/place-link.tsx'
import { count, typeName } from '../parts/shown.ts'
import { REFRESH_MS } from './refresh-ms.ts'
import { VisitFacts } from './visit-facts.tsx'

/** What was fetched over time. The segments say so, also while a crawl runs. */
export function RatePanel({ range }: { readonly range: 'latest' | 'all' }) {
  const { value } = useAnswer<VisitHistory>(placeOf('/api/history', { range }), REFRESH_MS)
  return (
    <section class="panel wide" aria-labelledby="rate">
      <h2 id="rate">Fetching over time</h2>
      {value !== undefined && value.runs > 1 && (
        <nav class="choice" aria-label="Time">
          <PlaceLink to="/statistics" current={range === 'latest'}>
            Last run
          </PlaceLink>
          <PlaceLink to="/statistics?range=all" current={range === 'all'}>
            All {count(value.runs)} runs
          </PlaceLink>
        </nav>
      )}
      {value === undefined ? (
        <p class="loading">Counting…</p>
      ) : value.from === undefined || value.to === undefined ? (
        <p class="quiet">No segment has a visit. Spiders keep their pages out of segments.</p>
      ) : (
        <>
          <RateChart history={value} />
          <VisitFacts totals={value.totals} spanMs={value.to - value.from} />
          {value.types.length > 0 && (
            <ul class="chips" aria-label="Types of content">
              {value.types.map((type) => (
                <li key={type.value} class="chip">
                  {typeName(type.value)} <span>{count(type.count)}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  )
}
