import type { IndexDocument } from './index-document.ts'

/**
 * A condition over the fields of a document. As an object: each field must have one of the values; `*` in a value stands for any text:
 * `{ lang: ['en', 'en-*'], url: 'https://example.org/news/*' }`. A name that is not a field is that of metadata.
 */
export type FieldCondition =
  | Readonly<Record<string, string | readonly string[]>>
  | ((document: IndexDocument) => boolean)

export function meetsCondition(document: IndexDocument, condition: FieldCondition): boolean {
  if (typeof condition === 'function') return condition(document) === true
  return Object.entries(condition).every(([field, wanted]) => {
    const values = fieldTexts(document, field)
    return [wanted].flat().some((pattern) => values.some((value) => matchesPattern(value, pattern)))
  })
}

/** The values of a field or of metadata as texts; none if the document does not have it. */
export function fieldTexts(document: IndexDocument, field: string): readonly string[] {
  const { metadata, ...fields } = document
  const value = ownValue(fields, field) ?? ownValue(metadata, field)
  return value === undefined ? [] : [value].flat().map(String)
}

function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Whether a text matches a pattern, in which `*` stands for any text. */
export function matchesPattern(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first)) return false
  let from = first.length
  // The earliest place of each part leaves the most room for the others, so nothing is tried twice.
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}
