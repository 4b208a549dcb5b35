import type { Json } from '../../base/json.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'

/**
 * A row of RFC 4180, with its CRLF. Objects and arrays are JSON. `null` is an empty cell and empty text is `""`, which databases tell apart.
 * Text that a spreadsheet would take for a formula (`=…`) is written as it is: the data stays what it was.
 */
export function csvRow(values: readonly (Json | undefined)[]): string {
  // A row of one empty cell would be an empty line, which readers skip.
  if (values.length === 1 && (values[0] ?? null) === null) return '""\r\n'
  return `${values.map(cell).join(',')}\r\n`
}

/** `columns` and the fields of `items` that they lack, in order of appearance. `columns` itself when they lack none. */
export function widened(columns: readonly string[], items: readonly LoggedItem[]): readonly string[] {
  const all = new Set(columns)
  for (const { item } of items) {
    for (const field of Object.keys(item)) if (item[field] !== undefined) all.add(field)
  }
  return all.size === columns.length ? columns : [...all]
}

function cell(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
