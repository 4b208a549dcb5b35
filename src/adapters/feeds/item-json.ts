import type { JsonObject } from '../../base/json.ts'

/**
 * An item as JSON on one line, also for readers that end lines at U+0085, U+2028 and U+2029. Halves of surrogate pairs, which
 * many readers refuse, become U+FFFD.
 */
export function itemJson(item: JsonObject): string {
  const json = JSON.stringify(item)
  return escapeLineEnds(HALF_PAIR.test(json) ? JSON.stringify(wellFormed(item)) : json)
}

/** `item` with these fields and no others; `null` for those it does not have. */
export function pickFields(item: JsonObject, fields: readonly string[] | undefined): JsonObject {
  if (fields === undefined) return item
  return Object.fromEntries(fields.map((field) => [field, ownValue(item, field) ?? null]))
}

/** Own values only: `constructor` is no field of an item that does not say so. */
export function ownValue(item: JsonObject, field: string): JsonObject[string] {
  return Object.hasOwn(item, field) ? item[field] : undefined
}

/** `JSON.stringify` writes a half as an escape, and nothing else that way but a backslash followed by such letters. */
const HALF_PAIR = /\\ud[89a-f]/

const LINE_ENDS = /[\u0085\u2028\u2029]/g

function escapeLineEnds(json: string): string {
  return json.replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  )
}
