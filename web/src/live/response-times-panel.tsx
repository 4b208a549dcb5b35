import type { LiveHistogram } from '../../../src/domain/live/live-report.ts'
import { formatCount, formatDuration } from '../parts/format.ts'
import { type Percentile, percentile, responseCount } from './percentiles.ts'

/** Response times as a histogram, and its percentiles. */
export function ResponseTimesPanel({ histogram }: { readonly histogram: LiveHistogram }) {
  const total = responseCount(histogram)
  const figures = [
    ['Median', percentile(histogram, 0.5)],
    ['p95', percentile(histogram, 0.95)],
    ['p99', percentile(histogram, 0.99)],
  ] as const
  return (
    <section class="panel" aria-labelledby="times">
      <h2 id="times">Response times</h2>
      {total === 0 ? (
        <p class="quiet">No response has been received yet.</p>
      ) : (
        <>
          <dl class="figures">
            {figures.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{percentileText(value)}</dd>
              </div>
            ))}
            <div>
              <dt>Average</dt>
              <dd>{formatDuration(histogram.sumMs / total)}</dd>
            </div>
          </dl>
          <Columns histogram={histogram} total={total} />
        </>
      )}
    </section>
  )
}

function Columns({ histogram, total }: { readonly histogram: LiveHistogram; readonly total: number }) {
  const { boundsMs, counts } = histogram
  // Empty intervals at both ends have no meaning.
  const first = Math.max(0, counts.findIndex((count) => count > 0) - 1)
  const end = Math.min(counts.length, counts.findLastIndex((count) => count > 0) + 2)
  const shown = counts.slice(first, end).map((count, i) => ({ count, bound: boundsMs[first + i] }))
  const most = Math.max(1, ...shown.map(({ count }) => count))
  const label = shown
    .filter(({ count }) => count > 0)
    .map(({ count, bound }) => `${formatCount(count, 'response')} ${boundText(bound, boundsMs)}`)
    .join(', ')
  return (
    <div
      class="columns-chart"
      role="img"
      aria-label={`Histogram of ${formatCount(total, 'response')}: ${label}`}
    >
      {shown.map(({ count, bound }, i) => (
        <div
          key={bound ?? 'more'}
          class="column"
          title={`${formatCount(count, 'response')} ${boundText(bound, boundsMs)}`}
        >
          <span class="column-space">
            <span class={count > 0 ? 'column-bar' : ''} style={{ height: `${(100 * count) / most}%` }} />
          </span>
          <span class={`column-label ${i % 2 === 1 ? 'every-other' : ''}`}>
            {bound === undefined ? 'more' : formatDuration(bound)}
          </span>
        </div>
      ))}
    </div>
  )
}

function boundText(bound: number | undefined, bounds: readonly number[]): string {
  return bound === undefined ? `over ${formatDuration(bounds.at(-1) ?? 0)}` : `up to ${formatDuration(bound)}`
}

function percentileText(value: Percentile | undefined): string {
  if (value === undefined) return '–'
  return `${value.isLowerBound ? 'over ' : ''}${formatDuration(value.ms)}`
}
