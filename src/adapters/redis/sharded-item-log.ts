import { appendAll } from '../../base/append-all.ts'
import type { ItemLog, LoggedItem, LoggedRejection } from '../../domain/frontier/item-log.ts'

/**
 * The items of all shards as one log. Each shard has its own list, in which an item is stored with its page. The order over shards is the one in which
 * this process read them first, and so are the positions: they hold for this object only.
 */
export class ShardedItemLog implements ItemLog {
  readonly #items: JoinedLists<LoggedItem>
  readonly #rejected: JoinedLists<LoggedRejection>

  constructor(shards: readonly ItemLog[]) {
    this.#items = new JoinedLists(shards.map((log) => (position, limit) => log.items(position, limit)))
    this.#rejected = new JoinedLists(shards.map((log) => (position, limit) => log.rejected(position, limit)))
  }

  items(position: number, limit: number): Promise<readonly LoggedItem[]> {
    return this.#items.read(position, limit)
  }

  rejected(position: number, limit: number): Promise<readonly LoggedRejection[]> {
    return this.#rejected.read(position, limit)
  }
}

type ReadList<T> = (position: number, limit: number) => Promise<readonly T[]>

/** Entries of one list, which follow one another in the joined order. */
interface Section {
  readonly list: number
  /** The position before its first entry, in the joined order and in the list. */
  readonly start: number
  readonly listStart: number
  length: number
}

class JoinedLists<T extends { readonly position: number }> {
  readonly #lists: readonly ReadList<T>[]
  readonly #sections: Section[] = []
  /** The last position that was read, of all and of each list. */
  #end = 0
  readonly #listEnds: number[]
  #last: Promise<unknown> = Promise.resolve()

  constructor(lists: readonly ReadList<T>[]) {
    this.#lists = lists
    this.#listEnds = lists.map(() => 0)
  }

  /** One call at a time: each may continue the order. */
  read(position: number, limit: number): Promise<readonly T[]> {
    const result = this.#last.then(() => this.#read(position, limit))
    this.#last = result.catch(() => {})
    return result
  }

  async #read(position: number, limit: number): Promise<readonly T[]> {
    const entries = await this.#readAgain(position, limit)
    while (entries.length < limit) {
      const more = await this.#readOn(limit - entries.length)
      if (more.length === 0) break
      appendAll(
        entries,
        more.filter((entry) => entry.position > position),
      )
    }
    return entries
  }

  /** What was read before. */
  async #readAgain(position: number, limit: number): Promise<T[]> {
    const entries: T[] = []
    for (const { list, start, listStart, length } of this.#sections) {
      const from = Math.max(position, start)
      const most = Math.min(start + length - from, limit - entries.length)
      if (most <= 0) continue
      const read = (await this.#lists[list]?.(from - start + listStart, most)) ?? []
      for (const entry of read) {
        const place = start + entry.position - listStart
        // Consumers may have taken some from the front; what follows is another section.
        if (place <= start + length) entries.push({ ...entry, position: place })
      }
    }
    return entries
  }

  async #readOn(limit: number): Promise<T[]> {
    const share = Math.ceil(limit / this.#lists.length)
    const read = await Promise.all(this.#lists.map((list, i) => list(this.#listEnds[i] ?? 0, share)))
    const entries: T[] = []
    for (const [list, found] of read.entries()) {
      const part = found.slice(0, limit - entries.length)
      const end = part.at(-1)?.position
      if (end === undefined) continue
      const listStart = this.#listEnds[list] ?? 0
      const section = { list, start: this.#end, listStart, length: end - listStart }
      for (const entry of part)
        entries.push({ ...entry, position: section.start + entry.position - listStart })
      this.#listEnds[list] = end
      this.#end += section.length
      const last = this.#sections.at(-1)
      if (last?.list === list) last.length += section.length
      else this.#sections.push(section)
    }
    return entries
  }
}
