import { useState } from 'preact/hooks'
import type { LivePoint, LiveReport } from '../../../src/domain/live/live-report.ts'
import { AreaChart, type ChartPoint } from '../charts/area-chart.tsx'
import { formatBytes, formatRate, formatTime, formatTimeOfDay, formatWholeDuration } from '../parts/format.ts'
import { goTo } from '../parts/location.ts'
import { useKeys } from '../parts/use-keys.ts'
import { intervalOf, type RatePoint, RECENT_MS, ratePoints } from './live-points.ts'
import { type LiveView, livePlace } from './live-view.ts'

interface ThroughputPanelProps {
  readonly report: LiveReport
  readonly points: readonly LivePoint[]
  readonly view: LiveView
}

interface Series {
  readonly key: 'pagesPerSecond' | 'bytesPerSecond' | 'itemsPerSecond'
  readonly name: string
  readonly tint: string
  /** With its unit. */
  readonly format: (value: number) => string
  readonly mark: (value: number) => string
}

const SERIES: readonly Series[] = [
  {
    ...{ key: 'pagesPerSecond', name: 'Pages per second', tint: 'tint-pages' },
    ...{ format: (value) => `${formatRate(value)} pages/s`, mark: formatMark },
  },
  {
    ...{ key: 'bytesPerSecond', name: 'Data per second', tint: 'tint-bytes' },
    ...{
      format: (value) => `${formatBytes(value)}/s`,
      mark: (value) => (value === 0 ? '0' : shortBytes(value)),
    },
  },
  {
    ...{ key: 'itemsPerSecond', name: 'Items per second', tint: 'tint-items' },
    ...{ format: (value) => `${formatRate(value)} items/s`, mark: formatMark },
  },
]

/** Rates over time, with a readout by pointer and by keyboard, and as a table. */
export function ThroughputPanel({ report, points, view }: ThroughputPanelProps) {
  const [cursor, setCursor] = useState<number>()
  const isRun = view.range === 'run'
  const to = report.at
  // A young crawl fills the width of the chart.
  const start = Math.min(report.startedAt, to - 60_000)
  const from = isRun ? start : Math.max(start, to - RECENT_MS)
  const rates = ratePoints(points, Math.max(from, report.startedAt), to, intervalOf(to - from, 150))
  const hasItems = report.totals.items > 0 || report.items !== undefined
  const series = SERIES.filter(({ key }) => key !== 'itemsPerSecond' || hasItems)
  const marked = cursor === undefined ? undefined : nearest(rates, cursor)
  const setRange = (range: LiveView['range']) => goTo(livePlace({ ...view, range }), true)
  useKeys({ r: () => setRange(isRun ? 'recent' : 'run') })

  const index = marked === undefined ? rates.length - 1 : rates.indexOf(marked)
  const move = (steps: number) => {
    const point = rates[Math.max(0, Math.min(rates.length - 1, index + steps))]
    if (point !== undefined) setCursor(middleOf(point))
  }
  return (
    <section class="panel wide" aria-labelledby="throughput">
      <div class="panel-head">
        <h2 id="throughput">Throughput</h2>
        <fieldset class="segmented" aria-label="Time range">
          <button type="button" aria-pressed={!isRun} onClick={() => setRange('recent')}>
            10 minutes
          </button>
          <button type="button" aria-pressed={isRun} onClick={() => setRange('run')}>
            Whole run
          </button>
        </fieldset>
      </div>
      <div
        class="chart-group"
        tabIndex={0}
        role="slider"
        aria-label="Point in time of the charts"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, rates.length - 1)}
        aria-valuenow={Math.max(0, index)}
        aria-valuetext={readout(rates[index], series)}
        onPointerMove={({ currentTarget, clientX }) => {
          const plot = currentTarget.querySelector('svg')?.getBoundingClientRect()
          if (plot !== undefined) setCursor(from + ((clientX - plot.left) / plot.width) * (to - from))
        }}
        onPointerLeave={() => setCursor(undefined)}
        onBlur={() => setCursor(undefined)}
        onKeyDown={(event) => {
          const steps = STEPS[event.key]
          if (steps === undefined) return
          event.preventDefault()
          move(steps)
        }}
      >
        {series.map(({ key, name, tint, format, mark }) => {
          const values = rates.map((rate): ChartPoint => ({ from: rate.from, to: rate.to, value: rate[key] }))
          const shown = marked === undefined ? undefined : values[rates.indexOf(marked)]
          return (
            <div key={key} class="chart-block">
              <p class="chart-caption">
                <span>{name}</span>
                <span class="number">
                  {marked !== undefined && shown !== undefined
                    ? `${timeText(marked, isRun)}: ${format(shown.value)}`
                    : summaryOf(values, format)}
                </span>
              </p>
              <AreaChart {...{ points: values, from, to, tint, format: mark, marked: shown }} />
            </div>
          )
        })}
        <div class="time-axis" aria-hidden="true">
          <span>{axisTime(from, to - from)}</span>
          <span>{axisTime((from + to) / 2, to - from)}</span>
          <span>{isRun && report.state === 'finished' ? axisTime(to, to - from) : 'now'}</span>
        </div>
      </div>
      <details class="more">
        <summary>Show as a table</summary>
        <RateTable {...{ points, from: Math.max(from, report.startedAt), to, series }} />
      </details>
    </section>
  )
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

interface RateTableProps {
  readonly points: readonly LivePoint[]
  readonly from: number
  readonly to: number
  readonly series: readonly Series[]
}

function RateTable({ points, from, to, series }: RateTableProps) {
  const intervalMs = intervalOf(to - from, 20)
  const rates = ratePoints(points, from, to, intervalMs).toReversed()
  return (
    <div class="scroll">
      <table class="list">
        <caption class="visually-hidden">Averages per {formatWholeDuration(intervalMs)}</caption>
        <thead>
          <tr>
            <th scope="col">Until</th>
            {series.map(({ key, name }) => (
              <th key={key} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rates.map((rate) => (
            <tr key={rate.from}>
              <td class="when">{timeOfRange(rate.to, to - from)}</td>
              {series.map(({ key, format }) => (
                <td key={key} class="number">
                  {format(rate[key]).replace(/ ?(pages|items)?\/s$/, '')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function middleOf({ from, to }: RatePoint): number {
  return (from + to) / 2
}

function nearest(rates: readonly RatePoint[], at: number): RatePoint | undefined {
  let best: RatePoint | undefined
  for (const rate of rates)
    if (best === undefined || Math.abs(middleOf(rate) - at) < Math.abs(middleOf(best) - at)) best = rate
  return best
}

/** `now 12.3 pages/s · average 10.1 pages/s · maximum 20.2 pages/s` */
function summaryOf(points: readonly ChartPoint[], format: (value: number) => string): string {
  if (points.length === 0) return 'no figures yet'
  const values = points.map(({ value }) => value)
  const average = values.reduce((sum, value) => sum + value, 0) / values.length
  return `average ${format(average)} · maximum ${format(Math.max(...values))}`
}

function readout(rate: RatePoint | undefined, series: readonly Series[]): string {
  if (rate === undefined) return 'no figures yet'
  return `${formatTimeOfDay(rate.to)}: ${series.map(({ key, format }) => format(rate[key])).join(', ')}`
}

const DAY_MS = 86_400_000

function timeOfRange(at: number, rangeMs: number): string {
  return rangeMs < DAY_MS ? formatTimeOfDay(at) : formatTime(at)
}

function timeText({ to, from }: RatePoint, isRun: boolean): string {
  return isRun ? timeOfRange(to, (to - from) * 150) : formatTimeOfDay(to)
}

function axisTime(at: number, rangeMs: number): string {
  if (rangeMs < RECENT_MS) return formatTimeOfDay(at)
  return rangeMs < DAY_MS ? formatTimeOfDay(at).slice(0, 5) : formatTime(at)
}

function formatMark(value: number): string {
  return value >= 10_000 ? `${value / 1_000}k` : String(value)
}

/** `1.5 MB`, `800 kB` */
function shortBytes(value: number): string {
  return formatBytes(value).replace('.0 ', ' ')
}
