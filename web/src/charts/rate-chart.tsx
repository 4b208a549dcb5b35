import type { FetchHistory } from '../../../src/adapters/serve/responses.ts'
import { formatDay, formatDuration, formatNumber, formatTime, formatTimeOfDay } from '../parts/format.ts'
import type { StatusKind } from '../parts/status-badge.tsx'

const SERIES = [
  ['fetched', 'fetched', 'good'],
  ['redirected', 'redirected', 'moved'],
  ['gone', 'gone or forbidden', 'gone'],
  ['failed', 'failed', 'failed'],
] as const satisfies ReadonlyArray<readonly [string, string, StatusKind]>

const HEIGHT = 100

/** Fetches over time: one bar per interval, divided by result. Labels are outside of the SVG, which is stretched. */
export function RateChart({ history }: { readonly history: FetchHistory }) {
  const { from, to, bucketMs, buckets } = history
  if (from === undefined || to === undefined) return null
  const start = Math.floor(from / bucketMs) * bucketMs
  const slots = Math.floor((to - start) / bucketMs) + 1
  const most = Math.max(...buckets.map(fetchesIn))
  const when = to - from < DAY_MS ? formatTimeOfDay : to - from < 4 * DAY_MS ? formatTime : formatDay
  return (
    <figure class="rate-chart">
      <figcaption>
        Fetches per {formatDuration(bucketMs)}, maximum {formatNumber(most)}
      </figcaption>
      <svg
        viewBox={`0 0 ${slots} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Fetches from ${formatTime(from)} to ${formatTime(to)}, maximum ${most} per ${formatDuration(bucketMs)}`}
      >
        {[0.25, 0.5, 0.75].map((height) => (
          <line key={height} class="grid" x1="0" x2={slots} y1={HEIGHT * height} y2={HEIGHT * height} />
        ))}
        {buckets.map((bucket) => {
          let top = HEIGHT
          return (
            <g key={bucket.at}>
              <title>{titleOf(bucket, bucketMs)}</title>
              {SERIES.map(([name, , kind]) => {
                const height = (HEIGHT * bucket[name]) / most
                top -= height
                const x = (bucket.at - start) / bucketMs
                return (
                  height > 0 && (
                    <rect
                      key={name}
                      class={`fill ${kind}`}
                      x={x + 0.08}
                      y={top}
                      width={0.84}
                      height={height}
                    />
                  )
                )
              })}
            </g>
          )
        })}
      </svg>
      <div class="time-axis">
        <span>{when(from)}</span>
        {slots > 2 && <span>{when((from + to) / 2)}</span>}
        <span>{when(to)}</span>
      </div>
      <ul class="keys-line">
        {SERIES.map(([name, text, kind]) => (
          <li key={name}>
            <span class={`dot ${kind}`} />
            {text} <span class="number">{formatNumber(history.totals[name])}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}

const DAY_MS = 86_400_000

type Bucket = FetchHistory['buckets'][number]

function fetchesIn(bucket: Bucket): number {
  return SERIES.reduce((sum, [name]) => sum + bucket[name], 0)
}

function titleOf(bucket: Bucket, bucketMs: number): string {
  const parts = SERIES.filter(([name]) => bucket[name] > 0).map(([name, text]) => `${bucket[name]} ${text}`)
  return `${formatTime(bucket.at)}, ${formatTimeOfDay(bucket.at)} + ${formatDuration(bucketMs)}: ${parts.join(', ')}`
}
