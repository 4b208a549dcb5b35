import type { DueFigures } from '../../../src/adapters/serve/answers.ts'
import { count } from '../parts/shown.ts'

const ROWS = [
  ['listed', 'on a fetch list'],
  ['now', 'due now'],
  ['withinHour', 'within an hour'],
  ['withinDay', 'within a day'],
  ['withinWeek', 'within a week'],
  ['withinMonth', 'within 30 days'],
  ['later', 'later'],
] as const

/** When URLs come due. */
export function DueChart({ due }: { readonly due: DueFigures }) {
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
            <td class="number">{count(due[name])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
