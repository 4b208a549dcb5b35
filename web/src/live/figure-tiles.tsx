import type { LiveReport } from '../../../src/domain/live/live-report.ts'
import { formatBytes, formatCount, formatNumber, formatRate, formatShare } from '../parts/format.ts'

interface Tile {
  readonly name: string
  readonly value: string
  readonly unit?: string
  readonly note: string
}

/** The figures that change every second. */
export function FigureTiles({ report }: { readonly report: LiveReport }) {
  return (
    <dl class="tiles">
      {tilesOf(report).map(({ name, value, unit, note }) => (
        <div key={name} class="tile">
          <dt>{name}</dt>
          <dd>
            <span class="tile-value">{value}</span>
            {unit !== undefined && <span class="tile-unit"> {unit}</span>}
            <span class="tile-note">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function tilesOf(report: LiveReport): Tile[] {
  const { rates, totals, inFlight, queued, due, hosts, kind, fleet } = report
  const [bytes = '', bytesUnit = ''] = formatBytes(rates.bytesPerSecond).split(' ')
  return [
    {
      ...{ name: 'Pages', value: formatRate(rates.pagesPerSecond), unit: '/s' },
      note: `${formatNumber(totals.pages)} in total`,
    },
    {
      ...{ name: 'Data', value: bytes, unit: `${bytesUnit}/s` },
      note: `${formatBytes(totals.bytes)} in total`,
    },
    ...(kind === 'spider' || report.items !== undefined || totals.items > 0
      ? [
          {
            ...{ name: 'Items', value: formatRate(rates.itemsPerSecond), unit: '/s' },
            note: `${formatNumber(totals.items)} in total`,
          },
        ]
      : []),
    {
      ...{ name: 'In flight', value: formatNumber(inFlight) },
      note: `${formatNumber(totals.requests)} requests sent`,
    },
    {
      ...{ name: 'Queue', value: formatNumber(fleet === undefined ? queued : fleet.queue.waiting) },
      note:
        fleet !== undefined
          ? `${formatNumber(fleet.queue.delayed)} delayed`
          : due === undefined
            ? formatCount(hosts.known, 'host')
            : `${formatNumber(due)} more due`,
    },
    {
      ...{ name: 'Errors', value: formatShare(totals.errors, totals.requests) },
      note: `${formatNumber(totals.errors)} in total`,
    },
  ]
}
