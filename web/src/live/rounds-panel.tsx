import type { LiveReport } from '../../../src/domain/live/live-report.ts'
import { formatNumber, formatWholeDuration } from '../parts/format.ts'
import { RelativeTime, useNow } from '../parts/now.tsx'
import { cutMiddle, safeText } from '../parts/safe-text.ts'

/** The rounds of a cycle and their segments. */
export function RoundsPanel({ rounds }: Pick<LiveReport, 'rounds'>) {
  const now = useNow()
  return (
    <section class="panel" aria-labelledby="rounds">
      <h2 id="rounds">Rounds</h2>
      <div class="scroll few-rows">
        <table class="list round-table">
          <thead>
            <tr>
              <th scope="col">Round</th>
              <th scope="col">Segment</th>
              <th scope="col" class="number">
                URLs fetched
              </th>
              <th scope="col" class="roomy-only">
                Started
              </th>
              <th scope="col" class="number">
                Duration
              </th>
            </tr>
          </thead>
          <tbody>
            {rounds.map(({ round, segment, urls, fetched, startedAt, endedAt }) => (
              <tr key={segment}>
                <td class="number left">{round === 0 ? 'resumed' : formatNumber(round)}</td>
                <td>
                  <code title={safeText(segment)}>{cutMiddle(safeText(segment), 20)}</code>
                </td>
                <td class="number">
                  {formatNumber(fetched)} of {formatNumber(urls)}
                  <progress value={fetched} max={Math.max(1, urls)} aria-hidden="true" />
                </td>
                <td class="when roomy-only">
                  <RelativeTime at={startedAt} />
                </td>
                <td class="number">
                  {formatWholeDuration((endedAt ?? now) - startedAt)}
                  {endedAt === undefined && '…'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
