import type { FoundPages } from '../../../src/adapters/serve/answers.ts'
import { count, counted } from '../parts/shown.ts'
import { PAGE_SIZE } from './search-state.ts'

/** How many there are, and which of them are shown. */
export function Summary({ found }: { readonly found: FoundPages }) {
  const { offset, hits, total, exact, relaxed, tookMs } = found
  if (hits.length === 0) return null
  const all = `${exact ? '' : 'more than '}${counted(total, 'page')}`
  return (
    <p class="summary" role="status">
      {relaxed && <strong>No page has all the words; these have some. </strong>}
      {total <= PAGE_SIZE ? all : `${count(offset + 1)}–${count(offset + hits.length)} of ${all}`}
      <span class="took"> · {tookMs < 1 ? 'under 1' : Math.round(tookMs)} ms</span>
    </p>
  )
}
