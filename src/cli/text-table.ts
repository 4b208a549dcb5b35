import { columnWidth } from '../base/format-values.ts'

/** Rows as aligned columns, one line each. @param maxWidth columns are not padded to more characters */
export function textTable(rows: readonly (readonly string[])[], maxWidth = Number.POSITIVE_INFINITY): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.min(maxWidth, columnWidth(rows.map((row) => row[i]))))
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map((row) => `${lineOf(row)}\n`).join('')
}
