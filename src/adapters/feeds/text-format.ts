import { csvRow } from '../../base/csv-row.ts'
import type { JsonObject } from '../../base/json.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import type { TextFormatName } from './feed-target.ts'

/** A text format that can be truncated after any item and continued: `head`, items, `tail`. */
export interface TextFormat {
  head(columns: readonly string[] | undefined): string
  /** @param columns the ones to write; `undefined`: all that it has */
  item(item: JsonObject, columns: readonly string[] | undefined, isFirst: boolean): string
  readonly tail: string
}

export const TEXT_FORMATS: Readonly<Record<TextFormatName, TextFormat>> = {
  jsonl: {
    head: () => '',
    item: (item, columns) => `${itemJson(pickFields(item, columns))}\n`,
    tail: '',
  },
  json: {
    head: () => '[',
    item: (item, columns, isFirst) => `${isFirst ? '\n' : ',\n'}${itemJson(pickFields(item, columns))}`,
    tail: '\n]\n',
  },
  csv: {
    head: (columns = []) => (columns.length === 0 ? '' : csvRow(columns)),
    item: (item, columns = []) => csvRow(columns.map((column) => ownValue(item, column))),
    tail: '',
  },
}

/** `columns` and the fields of `items` that they lack, in order of appearance. `columns` itself when they lack none. */
export function widened(columns: readonly string[], items: readonly LoggedItem[]): readonly string[] {
  const all = new Set(columns)
  for (const { item } of items) {
    for (const field of Object.keys(item)) if (item[field] !== undefined) all.add(field)
  }
  return all.size === columns.length ? columns : [...all]
}

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

/** Own properties only: an inherited `constructor` is not a field of an item. */
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
