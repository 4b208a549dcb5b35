import type { Json } from './json.ts'

/**
 * A row of RFC 4180, with its CRLF. Objects and arrays are written as JSON. `null` and `undefined` are an empty cell and empty text is
 * `""`, so that databases can tell them apart. Text that a spreadsheet takes for a formula (`=…`) is not changed.
 */
export function csvRow(values: readonly (Json | undefined)[]): string {
  // Readers skip empty lines, which a row of one empty cell would be.
  if (values.length === 1 && (values[0] ?? null) === null) return '""\r\n'
  return `${values.map(csvCell).join(',')}\r\n`
}

function csvCell(value: Json | undefined): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
