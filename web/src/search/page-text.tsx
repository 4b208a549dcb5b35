import type { PagePreview } from '../../../src/adapters/serve/answers.ts'
import { MarkedText } from './marked-text.tsx'

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
