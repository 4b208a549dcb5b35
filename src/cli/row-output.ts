import { type Command, Option } from 'commander'
import { csvRow } from '../base/csv-row.ts'
import { columnWidth, formatJson, formatNumber, printableLine } from '../base/format-values.ts'
import type { Json } from '../base/json.ts'
import { addOptionGroup } from './help-notes.ts'

/** How rows are printed. */
export interface RowFlags {
  readonly json: boolean
  readonly csv: boolean
}

/** `--csv`, for commands that print a table. */
export function addCsvOption(command: Command): Command {
  return addOptionGroup(command, 'General', (group) =>
    group.addOption(new Option('--csv', 'Print comma-separated values').default(false).conflicts('json')),
  )
}

/** Rows with the same keys: a table for people, CSV, or a JSON list. @param headings titles of the columns, by key, in order */
export function formatRows<T extends object>(
  rows: readonly T[],
  headings: Readonly<Partial<Record<keyof T & string, string>>>,
  { json, csv }: RowFlags,
): string {
  if (json) return formatJson(rows)
  const keys = Object.keys(headings) as (keyof T & string)[]
  const values = rows.map((row) => keys.map((key) => row[key] as Json | undefined))
  if (csv) return [keys, ...values].map((row) => csvRow(row)).join('')
  const isNumeric = keys.map((_, i) => values.every((row) => typeof (row[i] ?? 0) === 'number'))
  const texts = [keys.map((key) => headings[key] ?? key), ...values.map((row) => row.map(cellText))]
  const widths = keys.map((_, i) => columnWidth(texts.map((row) => row[i])))
  return texts
    .map((row) =>
      row
        .map((text, i) => (isNumeric[i] ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd()
        .concat('\n'),
    )
    .join('')
}

function cellText(value: Json | undefined): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'number')
    return Number.isInteger(value) ? formatNumber(value) : String(Number(value.toPrecision(4)))
  return printableLine(typeof value === 'string' ? value : JSON.stringify(value), 2_000)
}
