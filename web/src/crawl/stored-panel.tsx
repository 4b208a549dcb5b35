import type { PagePreview } from '../../../src/adapters/serve/answers.ts'
import { useAnswer } from '../parts/ask.ts'
import { placeOf } from '../parts/location.ts'
import { moment } from '../parts/shown.ts'
import { PageText } from '../search/page-text.tsx'

/** The text that was read from a page. */
export function StoredPanel({ url }: { readonly url: string }) {
  const { value, problem } = useAnswer<PagePreview>(placeOf('/api/preview', { url }))
  return (
    <section class="panel wide" aria-labelledby="stored">
      <h2 id="stored">Stored page</h2>
      {problem !== undefined && <p class="quiet">{problem}</p>}
      {value !== undefined && (
        <article class="stored" lang={value.lang}>
          <h3>{value.title}</h3>
          <p class="quiet">fetched {moment(value.fetchedAt)}</p>
          <PageText paragraphs={value.paragraphs} />
          {value.cut && <p class="cut">The text goes on; only its beginning is shown.</p>}
        </article>
      )}
    </section>
  )
}
