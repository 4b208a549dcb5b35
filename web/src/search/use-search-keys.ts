import { webHref } from '../parts/links.tsx'
import { goTo, placeOf } from '../parts/location.ts'
import { useKeys } from '../parts/use-keys.ts'
import { chosenResult, focusResult, moveBy, searchBox } from './result-focus.ts'
import type { SearchState } from './search-state.ts'

/** The keys of the result list. The result that has the focus is the chosen one, so Enter and screen readers do as they always do. */
export function useSearchKeys(
  state: SearchState,
  pages: number,
  change: (changes: Partial<SearchState>) => void,
): void {
  const turnTo = (page: number) => {
    if (page < 1 || page > pages) return false
    change({ page, preview: '' })
    return true
  }
  useKeys({
    '/': () => {
      const box = searchBox()
      box?.focus()
      box?.select()
    },
    j: () => moveBy(1),
    ArrowDown: () => moveBy(1),
    k: () => moveBy(-1),
    ArrowUp: () => moveBy(-1),
    o: () => {
      const href = webHref(chosenResult()?.dataset['url'] ?? '')
      if (href === undefined) return false
      window.open(href, '_blank', 'noopener,noreferrer')
      return true
    },
    i: () => {
      const id = chosenResult()?.dataset['id'] ?? state.preview
      if (id === '') return false
      goTo(placeOf('/url', { url: id }))
      return true
    },
    n: () => turnTo(state.page + 1),
    p: () => turnTo(state.page - 1),
    Escape: () => {
      if (state.preview === '') {
        searchBox()?.blur()
        return false
      }
      focusResult(state.preview)
      change({ preview: '' })
      return true
    },
  })
}
