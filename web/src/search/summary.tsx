import type { FoundPages } from '../../../src/adapters/serve/responses.ts'
import { formatCount, formatNumber } from '../parts/format.ts'
import { PAGE_SIZE } from './search-state.ts'

/** The number of results, and which of them are shown. */
export function Summary({ found }: { readonly found: FoundPages }) {
  const { offset, hits, total, exact, relaxed, tookMs } = found
  if (hits.length === 0) return null
  const all = `${exact ? '' : 'more than '}${formatCount(total, 'page')}`
  return (
    <p class="summary" role="status">
      {relaxed && <strong>No page contains all words. These contain some of them. </strong>}
      {total <= PAGE_SIZE
        ? all
        : `${formatNumber(offset + 1)}–${formatNumber(offset + hits.length)} of ${all}`}
      <span class="took"> · {tookMs < 1 ? 'under 1' : Math.round(tookMs)} ms</span>
    </p>
  )
}
