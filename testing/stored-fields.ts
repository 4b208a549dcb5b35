import type { StoredDocument } from './index-writer-contract.ts'

/** A document as an index returned it under Nutch's field names (`src/domain/indexing/index-fields.ts`). What an engine adds is left out. */
export function storedFields(fields: Readonly<Record<string, unknown>>): StoredDocument {
  const { id, content, anchor, tstamp, lastModified, published, date: _, ...rest } = fields
  const same = Object.entries(rest).filter(([name]) => !name.startsWith('meta_') && !name.startsWith('_'))
  const metadata = Object.entries(rest)
    .filter(([name]) => name.startsWith('meta_'))
    .map(([name, value]) => [name.slice('meta_'.length), single(value)] as const)
  return {
    id: String(id),
    content: String(content),
    ...Object.fromEntries(same),
    anchors: (anchor as string[] | undefined) ?? [],
    tstamp: Date.parse(String(tstamp)),
    ...(lastModified !== undefined && { lastModified: Date.parse(String(lastModified)) }),
    ...(published !== undefined && { published: Date.parse(String(published)) }),
    metadata: Object.fromEntries(metadata),
  }
}

/** Solr keeps lists only, where a field may have several values. */
function single(value: unknown): string | string[] {
  const values = [value].flat() as string[]
  const [only = ''] = values
  return values.length === 1 ? only : values
}
