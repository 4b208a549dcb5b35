import { formatNumber } from '../parts/format.ts'
import { PlaceLink } from '../parts/place-link.tsx'
import { type SearchState, searchPlace } from './search-state.ts'

interface PagerProps {
  readonly state: SearchState
  readonly pages: number
}

export function Pager({ state, pages }: PagerProps) {
  if (pages <= 1 && state.page === 1) return null
  const to = (page: number) => searchPlace({ ...state, page, preview: '' })
  return (
    <nav class="pager" aria-label="Pages of results">
      <PagerLink key="before" to={state.page > 1 ? to(state.page - 1) : undefined} text="← Previous" />
      <span key="where" class="pager-where">
        Page {formatNumber(state.page)} of {formatNumber(pages)}
      </span>
      <PagerLink key="next" to={state.page < pages ? to(state.page + 1) : undefined} text="Next →" />
    </nav>
  )
}

/** Plain text if there is no such page, so that the layout does not change. */
function PagerLink({ to, text }: { readonly to: string | undefined; readonly text: string }) {
  return to === undefined ? <span>{text}</span> : <PlaceLink to={to}>{text}</PlaceLink>
}
