import type { JsonObject } from '../src/base/json.ts'
import type { ItemLog, LoggedItem, LoggedRejection } from '../src/domain/frontier/item-log.ts'

/** A log of items in memory. */
export class ArrayItemLog implements ItemLog {
  readonly #items: LoggedItem[] = []
  readonly #rejected: LoggedRejection[] = []

  add(...items: readonly JsonObject[]): void {
    for (const item of items) {
      this.#items.push({ position: this.#items.length + 1, url: 'http://a.test/', item })
    }
  }

  reject(item: JsonObject, reason: string): void {
    this.#rejected.push({ position: this.#rejected.length + 1, url: 'http://a.test/', item, reason })
  }

  async items(position: number, limit: number): Promise<readonly LoggedItem[]> {
    return this.#items.slice(position, position + limit)
  }

  async rejected(position: number, limit: number): Promise<readonly LoggedRejection[]> {
    return this.#rejected.slice(position, position + limit)
  }
}
