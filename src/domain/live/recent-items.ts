import type { Json, JsonObject } from '../../base/json.ts'
import type { Settlement } from '../frontier/settlement.ts'
import { Latest } from './latest.ts'
import type { LiveItems } from './live-report.ts'

/** The latest items of a spider, and the latest that the schema rejected. They become text only when a report is made. */
export class RecentItems {
  readonly #items = new Latest<KeptItem>(MAX_ITEMS)
  readonly #rejected = new Latest<KeptItem & { readonly reason: string }>(MAX_ITEMS)

  /** @param settlements oldest first */
  add(settlements: readonly Settlement[], now: number): void {
    const at = Math.round(now)
    for (const { items, rejected, fetch } of settlements) {
      const url = fetch?.url ?? ''
      for (const item of items.slice(-MAX_ITEMS)) this.#items.add({ at, url, item })
      for (const { item, reason } of rejected.slice(-MAX_ITEMS)) this.#rejected.add({ at, url, item, reason })
    }
  }

  report(): LiveItems {
    return {
      latest: this.#items.newestFirst().map((kept) => withShortItem(kept)),
      rejected: this.#rejected.newestFirst().map((kept) => withShortItem(kept)),
    }
  }
}

interface KeptItem {
  readonly at: number
  readonly url: string
  /** Replaced by a shorter copy when it is first reported. */
  item: JsonObject
  isShort?: true
}

const MAX_ITEMS = 20
const MAX_CHARACTERS = 10_000
const MAX_FIELD_CHARACTERS = 1_000

function withShortItem<T extends KeptItem>(kept: T): Omit<T, 'isShort'> {
  if (kept.isShort === undefined) kept.item = shortItem(kept.item)
  kept.isShort = true
  const { isShort: _, ...remaining } = kept
  return remaining
}

/** An item of at most about 10 kB as JSON: long fields are cut, and the last fields are left out. */
export function shortItem(item: JsonObject): JsonObject {
  if (JSON.stringify(item).length <= MAX_CHARACTERS) return item
  const short: Record<string, Json> = {}
  let left = MAX_CHARACTERS
  const fields = Object.entries(item)
  for (const [i, [name, value]] of fields.entries()) {
    const json = JSON.stringify(value) ?? 'null'
    const text = typeof value === 'string' ? value : json
    left -= name.length + Math.min(json.length, MAX_FIELD_CHARACTERS) + 10
    if (left < 0) return { ...short, '…': `${fields.length - i} more fields` }
    short[name] =
      json.length <= MAX_FIELD_CHARACTERS ? (value ?? null) : `${text.slice(0, MAX_FIELD_CHARACTERS)}…`
  }
  return short
}
