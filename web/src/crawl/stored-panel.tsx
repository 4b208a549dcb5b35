import type { PagePreview } from '../../../src/adapters/serve/responses.ts'
import { formatTime } from '../parts/format.ts'
import { placeOf } from '../parts/location.ts'
import { useResponse } from '../parts/use-response.ts'
import { PageText } from '../search/page-text.tsx'

/** The stored text of a page. */
export function StoredPanel({ url }: { readonly url: string }) {
  const { value, problem } = useResponse<PagePreview>(placeOf('/api/preview', { url }))
  return (
    <section class="panel wide" aria-labelledby="stored">
      <h2 id="stored">Stored page</h2>
      {problem !== undefined && <p class="quiet">{problem}</p>}
      {value !== undefined && (
        <article class="stored" lang={value.lang}>
          <h3>{value.title}</h3>
          <p class="quiet">fetched {formatTime(value.fetchedAt)}</p>
          <PageText paragraphs={value.paragraphs} />
          {value.cut && <p class="cut">Only the beginning of the text is shown.</p>}
        </article>
      )}
    </section>
  )
}
