import type { RecordedPage } from '../segment/segment-store.ts'
import type { IndexDocument } from './index-document.ts'

/**
 * A rule of the operator's own over documents: returns the document as it is to be indexed, or `undefined` to keep the page out of every
 * index. Its `id` stays what it was. A throw leaves the page as it is in the index, to be tried the next time.
 * @param page all that its segment holds, but for its body and its links
 */
export type IndexFilter = (
  document: IndexDocument,
  page: RecordedPage,
) => IndexDocument | undefined | Promise<IndexDocument | undefined>
