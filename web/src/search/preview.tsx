import { useEffect, useRef } from 'preact/hooks'
import type { PagePreview } from '../../../src/adapters/serve/responses.ts'
import { formatTime } from '../parts/format.ts'
import { PlaceLink, WebLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { useResponse } from '../parts/use-response.ts'
import { PageText } from './page-text.tsx'
import type { SearchState } from './search-state.ts'

interface PreviewProps {
  readonly id: string
  readonly state: SearchState
  onClose(): void
}

/** The stored text of a page, next to the results. */
export function Preview({ id, state, onClose }: PreviewProps) {
  const { value, loading, problem } = useResponse<PagePreview>(
    placeOf('/api/preview', { url: id, q: state.q }),
  )
  const panel = useRef<HTMLElement>(null)
  // Scroll to the start of each new page.
  useEffect(() => panel.current?.scrollTo({ top: 0 }), [id])
  return (
    <aside class="preview" ref={panel} aria-label="Stored page" aria-busy={loading}>
      <div class="preview-bar">
        <span>Stored page</span>
        <PlaceLink to={placeOf('/url', { url: id })}>About this URL</PlaceLink>
        <button type="button" class="quiet-button" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          ×
        </button>
      </div>
      {problem !== undefined && <p>{problem}</p>}
      {value !== undefined && (
        <article lang={value.lang}>
          <h2>{value.title.trim() === '' ? 'Untitled page' : value.title}</h2>
          <p class="preview-facts">
            <WebLink url={value.url} />
            <br />
            fetched {formatTime(value.fetchedAt)}
          </p>
          <PageText paragraphs={value.paragraphs} />
          {value.cut && <p class="cut">Only the beginning of the text is shown.</p>}
        </article>
      )}
    </aside>
  )
}
