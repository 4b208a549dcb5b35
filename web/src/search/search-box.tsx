import { useEffect, useRef, useState } from 'preact/hooks'
import { goTo } from '../parts/location.ts'
import { moveBy, SEARCH_BOX_ID } from './result-focus.ts'
import { type SearchState, searchPlace } from './search-state.ts'

/** Delay between the last key and the search (ms). */
const PAUSE_MS = 250

/** Searches while the user types; Enter adds an entry to the browser history. */
export function SearchBox({ state }: { readonly state: SearchState }) {
  const [text, setText] = useState(state.q)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The address can also change through Back, a link or a filter.
  useEffect(() => setText(state.q), [state.q])
  useEffect(() => () => clearTimeout(timer.current), [])

  const search = (q: string, replace: boolean) => {
    clearTimeout(timer.current)
    if (q !== state.q) goTo(searchPlace({ ...state, q, page: 1, preview: '' }), replace)
  }
  return (
    <form
      class="search-box"
      onSubmit={(event) => {
        event.preventDefault()
        search(text, false)
      }}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="8.5" cy="8.5" r="5.5" />
        <path d="m12.7 12.7 4.8 4.8" />
      </svg>
      <input
        id={SEARCH_BOX_ID}
        type="search"
        placeholder="Search the crawl"
        aria-label="Search the crawl"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={1000}
        autofocus
        value={text}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && moveBy(1)) event.preventDefault()
        }}
        onInput={(event) => {
          const q = event.currentTarget.value
          setText(q)
          clearTimeout(timer.current)
          // The first search adds a history entry; further typing replaces it.
          timer.current = setTimeout(() => search(q, state.q !== ''), PAUSE_MS)
        }}
      />
      <kbd title="Press / to search">/</kbd>
    </form>
  )
}
