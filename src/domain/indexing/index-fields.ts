import type { IndexDocument } from './index-document.ts'
import type { IndexChange } from './index-writer.ts'

/** A document under Nutch's field names. Fields that the document does not have are absent. */
export interface IndexFields {
  readonly id: string
  readonly [field: string]: string | number | readonly string[]
}

/**
 * As every target gets it: times as ISO instants, each piece of metadata as a field `meta_*`.
 * @example
 * const title = (document: IndexDocument) => indexFields(document)['title']
 */
export function indexFields(document: IndexDocument): IndexFields {
  const { anchors, tstamp, lastModified, published, metadata, ...same } = document
  return {
    ...same,
    ...(anchors.length > 0 && { anchor: anchors }),
    tstamp: instant(tstamp),
    ...(lastModified !== undefined && { lastModified: instant(lastModified) }),
    ...(published !== undefined && { published: instant(published) }),
    // For searches by time.
    date: instant(published ?? lastModified ?? tstamp),
    ...metadataFields(metadata),
  }
}

/** Letters and digits of any script, and `_`: what all engines take in a name. A dot would make an object of it. */
export function metadataField(key: string): string {
  return `meta_${key.replaceAll(/[^\p{L}\p{N}_]/gu, '_')}`
}

function metadataFields(metadata: IndexDocument['metadata']): Record<string, string | readonly string[]> {
  const fields: Record<string, string | readonly string[]> = {}
  for (const [key, value] of Object.entries(metadata)) {
    const field = metadataField(key)
    const before = fields[field]
    // `og:title` and `og.title` share a field, and both are found.
    fields[field] = before === undefined ? value : [before, value].flat()
  }
  return fields
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}

/** Of each id the last change alone. */
export function latestChanges(changes: readonly IndexChange[]): IndexChange[] {
  return [...new Map(changes.map((change) => [idOf(change), change])).values()]
}

function idOf(change: IndexChange): string {
  return change.kind === 'put' ? change.document.id : change.id
}
