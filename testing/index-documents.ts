import type { IndexDocument } from '../src/domain/indexing/index-document.ts'
import type { IndexChange } from '../src/domain/indexing/index-writer.ts'

/** A document with the least that one has. */
export function indexDocument(id: string, more: Partial<IndexDocument> = {}): IndexDocument {
  return {
    ...{ id, url: id, host: 'a.test', content: 'text', anchors: [], boost: 1, tstamp: 1_790_000_000_000 },
    ...{ segment: '20260921141320', metadata: {} },
    ...more,
  }
}

export function put(id: string, more?: Partial<IndexDocument>): IndexChange {
  return { kind: 'put', document: indexDocument(id, more) }
}

export function remove(id: string): IndexChange {
  return { kind: 'delete', id }
}

/** What Lucene never takes: a term of more than 32,766 bytes in a field that is not analysed. */
export function putImmense(id: string): IndexChange {
  return put(id, { lang: 'x'.repeat(40_000) })
}
