import type { LiveReport } from '../../../src/domain/live/live-report.ts'
import { StackedBar } from '../charts/stacked-bar.tsx'
import { formatNumber, formatShare } from '../parts/format.ts'
import { safeText } from '../parts/safe-text.ts'
import { outcomeName } from './outcome-names.ts'

/** Kinds of outcomes that have a line of their own. */
const LINES = 9

interface OutcomesPanelProps {
  readonly report: LiveReport
  /** No other panel is next to it. */
  readonly isWide: boolean
}

/** Requests by outcome. Every share has its name and its number: the colour is not needed. */
export function OutcomesPanel({ report: { outcomes }, isWide }: OutcomesPanelProps) {
  const sorted = Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .toSorted(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  const parts = sorted.map(([name, count]) => {
    const [label, kind] = outcomeName(name)
    return { kind, label: safeText(label), count }
  })
  const others = parts.slice(LINES)
  return (
    <section class={`panel ${isWide ? 'wide' : ''}`} aria-labelledby="outcomes">
      <h2 id="outcomes">Outcomes</h2>
      {total === 0 ? (
        <p class="quiet">No request has ended yet.</p>
      ) : (
        <figure class="status-chart">
          <StackedBar
            parts={parts}
            label={parts.map(({ label, count }) => `${formatNumber(count)} ${label}`).join(', ')}
          />
          <ul class="legend">
            {[
              ...parts.slice(0, LINES),
              ...(others.length === 0
                ? []
                : [
                    {
                      ...{ kind: 'waiting', label: `${others.length} other kinds` },
                      count: others.reduce((sum, { count }) => sum + count, 0),
                    },
                  ]),
            ].map(({ kind, label, count }) => (
              <li key={label}>
                <span class={`dot ${kind}`} />
                <span class="legend-name">{label}</span>
                <span class="number">{formatNumber(count)}</span>
                <span class="share">{formatShare(count, total)}</span>
              </li>
            ))}
          </ul>
        </figure>
      )}
    </section>
  )
}
