import type { Json, JsonObject } from '../../../src/base/json.ts'
import { cutEnd, safeText } from '../parts/safe-text.ts'

/** The keys of all items, in the order of their first use; at most `most`, the most frequent ones. */
export function itemColumns(items: readonly JsonObject[], most: number): string[] {
  const uses = new Map<string, number>()
  for (const item of items) for (const key of Object.keys(item)) uses.set(key, (uses.get(key) ?? 0) + 1)
  const keys = [...uses.keys()]
  if (keys.length <= most) return keys
  const frequent = new Set(keys.toSorted((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0)).slice(0, most))
  return keys.filter((key) => frequent.has(key))
}

/** A value as text: strings as they are, objects and arrays as JSON. Empty for a missing value. */
export function cellText(value: Json | undefined): string {
  if (value === undefined) return ''
  return safeText(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Longer cells are cut until they are expanded. */
export const CELL_LENGTH = 120

/** The whole text is shown: it is short. */
export function isShort(text: string): boolean {
  return text.length <= CELL_LENGTH
}

export function cutCell(text: string): string {
  return isShort(text) ? text : `${cutEnd(text, CELL_LENGTH)}…`
}
