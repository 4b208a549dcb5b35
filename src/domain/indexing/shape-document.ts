import { type FieldCondition, fieldTexts, matchesPattern, meetsCondition } from './field-condition.ts'
import type { IndexDocument, PageLinks } from './index-document.ts'

/** Changes of documents that need no code (Nutch: index-static, index-replace, subcollection, index-links). */
export interface DocumentShape {
  /** Metadata that every document gets, unless it has the name already. */
  readonly static: Readonly<Record<string, string | readonly string[]>>
  /** Named sets of URLs; a document gets the names of its sets as `subcollection`. */
  readonly subcollections: readonly Subcollection[]
  readonly replace: readonly Replacement[]
}

export interface Subcollection {
  readonly name: string
  /** Patterns of URLs, with `*` for any text. */
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

export interface Replacement {
  /** A field with text, or metadata. */
  readonly field: string
  /** What becomes of a text. */
  readonly apply: (text: string) => string
  /** Metadata to store the result in. @default the field itself */
  readonly to?: string
  readonly when?: FieldCondition
}

/** The document with what the shape adds and replaces, in the order: links, static, subcollections, replacements. */
export function shapeDocument(made: IndexDocument, shape: DocumentShape, links?: PageLinks): IndexDocument {
  let document: IndexDocument = {
    ...made,
    metadata: { ...shape.static, ...linkMetadata(links), ...made.metadata },
  }
  const sets = shape.subcollections.filter((set) => isIn(document.url, set)).map(({ name }) => name)
  if (sets.length > 0) document = { ...document, metadata: { ...document.metadata, subcollection: sets } }
  for (const replacement of shape.replace) document = replaced(document, replacement)
  return document
}

function linkMetadata(links: PageLinks | undefined): Record<string, readonly string[]> {
  const urls = (list: PageLinks['inlinks'] = []) => [...new Set(list.map(({ url }) => url))]
  const all = { inlinks: urls(links?.inlinks), outlinks: urls(links?.outlinks) }
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0))
}

function isIn(url: string, { include, exclude }: Subcollection): boolean {
  const matches = (pattern: string) => matchesPattern(url, pattern)
  return include.some(matches) && !exclude.some(matches)
}

function replaced(document: IndexDocument, { field, apply, to = field, when }: Replacement): IndexDocument {
  if (when !== undefined && !meetsCondition(document, when)) return document
  const texts = fieldTexts(document, field)
  if (texts.length === 0) return document
  const changed = texts.map(apply)
  const isList = Array.isArray(document[field as keyof IndexDocument] ?? document.metadata[field])
  const value = isList ? changed : changed.join()
  if (TEXT_FIELDS.has(to)) return { ...document, [to]: value }
  return { ...document, metadata: { ...document.metadata, [to]: value } }
}

/** The fields that a replacement may change; others are facts that an index relies on. */
export const TEXT_FIELDS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'headings', 'content', 'anchors', 'lang', 'type'],
])
