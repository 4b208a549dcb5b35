import type { StatusCount } from '../../../src/adapters/serve/responses.ts'
import { formatNumber } from '../parts/format.ts'
import { statusKind, statusText } from '../parts/status-badge.tsx'
import { StackedBar } from './stacked-bar.tsx'

/** Number of URLs per status. */
export function StatusChart({ statuses }: { readonly statuses: readonly StatusCount[] }) {
  const sorted = statuses.toSorted((a, b) => b.count - a.count)
  const total = sorted.reduce((sum, status) => sum + status.count, 0)
  const parts = sorted.map(({ status, count: n }) => ({
    kind: statusKind(status),
    label: statusText(status),
    count: n,
  }))
  return (
    <figure class="status-chart">
      <StackedBar
        parts={parts}
        label={parts.map(({ label, count: n }) => `${formatNumber(n)} ${label}`).join(', ')}
      />
      <ul class="legend">
        {sorted.map(({ status, count: n }) => (
          <li key={status} title={status}>
            <span class={`dot ${statusKind(status)}`} />
            <span class="legend-name">{statusText(status)}</span>
            <span class="number">{formatNumber(n)}</span>
            <span class="share">{share(n, total)}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}

function share(n: number, total: number): string {
  const percent = (100 * n) / total
  return percent < 1 ? '<1%' : `${Math.round(percent)}%`
}
