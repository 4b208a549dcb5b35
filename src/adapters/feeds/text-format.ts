import { csvRow } from '../../base/csv-row.ts'
import type { JsonObject } from '../../base/json.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import type { TextFormatName } from './feed-target.ts'
import { itemJson, ownValue, pickFields } from './item-json.ts'

/** Items as text that may be cut after each of them and gone on with: `head`, any number of items, `tail`. */
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
