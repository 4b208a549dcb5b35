import { useEffect, useRef } from 'preact/hooks'
import type { PagePreview } from '../../../src/adapters/serve/answers.ts'
import { useAnswer } from '../parts/ask.ts'
import { placeOf } from '../parts/location.ts'
import { PlaceLink } from '../parts/place-link.tsx'
import { moment } from '../parts/shown.ts'
import { WebLink } from '../parts/web-link.tsx'
import { PageText } from './page-text.tsx'
import type { SearchState } from './search-state.ts'

interface PreviewProps {
  readonly id: string
  readonly state: SearchState
  onClose(): void
}

/** The stored text of a page, beside the results. */
export function Preview({ id, state, onClose }: PreviewProps) {
  const { value, loading, problem } = useAnswer<PagePreview>(placeOf('/api/preview', { url: id, q: state.q }))
  const panel = useRef<HTMLElement>(null)
  // Each page from its beginning.
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
          <h2>{value.title.trim() === '' ? 'Without a title' : value.title}</h2>
          <p class="preview-facts">
            <WebLink url={value.url} />
            <br />
            fetched {moment(value.fetchedAt)}
          </p>
          <PageText paragraphs={value.paragraphs} />
          {value.cut && <p class="cut">The text goes on; only its beginning is shown.</p>}
        </article>
      )}
    </aside>
  )
}
