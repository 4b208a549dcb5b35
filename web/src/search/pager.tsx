import { PlaceLink } from '../parts/place-link.tsx'
import { count } from '../parts/shown.ts'
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
      <PagerLink key="before" to={state.page > 1 ? to(state.page - 1) : undefined} text="← Before" />
      <span key="where" class="pager-where">
        Page {count(state.page)} of {count(pages)}
      </span>
      <PagerLink key="next" to={state.page < pages ? to(state.page + 1) : undefined} text="Next →" />
    </nav>
  )
}

/** Where there is no such page, only its place is held. */
function PagerLink({ to, text }: { readonly to: string | undefined; readonly text: string }) {
  return to === undefined ? <span>{text}</span> : <PlaceLink to={to}>{text}</PlaceLink>
}
