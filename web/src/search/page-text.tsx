import type { MarkedPart, PagePreview } from '../../../src/adapters/serve/responses.ts'
import { safeText } from '../parts/safe-text.ts'

/** The text of a stored page. */
export function PageText({ paragraphs }: Pick<PagePreview, 'paragraphs'>) {
  return (
    <div class="page-text">
      {paragraphs.map((parts) => (
        <p>
          <MarkedText parts={parts} />
        </p>
      ))}
    </div>
  )
}

/** Text with marked search terms. */
export function MarkedText({ parts }: { readonly parts: readonly MarkedPart[] }) {
  return <>{parts.map(({ text, marked }) => (marked ? <mark>{safeText(text)}</mark> : safeText(text)))}</>
}
