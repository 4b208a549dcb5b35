import type { DueStatistics } from '../../../src/adapters/serve/responses.ts'
import { formatNumber } from '../parts/format.ts'

const ROWS = [
  ['listed', 'on a fetch list'],
  ['now', 'due now'],
  ['withinHour', 'within an hour'],
  ['withinDay', 'within a day'],
  ['withinWeek', 'within a week'],
  ['withinMonth', 'within 30 days'],
  ['later', 'later'],
] as const

/** Number of URLs by the time of their next fetch. */
export function DueChart({ due }: { readonly due: DueStatistics }) {
  const most = Math.max(1, ...ROWS.map(([name]) => due[name]))
  return (
    <table class="bars">
      <tbody>
        {ROWS.map(([name, label]) => (
          <tr key={name}>
            <th scope="row">{label}</th>
            <td class="bar-cell">
              <span
                class={`bar ${name === 'now' || name === 'listed' ? 'strong' : ''}`}
                style={{ width: `${(100 * due[name]) / most}%` }}
              />
            </td>
            <td class="number">{formatNumber(due[name])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
