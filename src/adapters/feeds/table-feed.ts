import type { LoggedItem, TableWriter } from '../../domain/frontier/item-log.ts'
import { type Feed, type FeedSource, PAGE_ITEMS } from './feed.ts'
import { currentFile, sizeOf } from './feed-path.ts'
import { type FeedState, withoutTime } from './feed-states.ts'
import type { FilePlan } from './feed-target.ts'
import { itemJson, pickFields } from './text-format.ts'

/**
 * Writes a Parquet file at the end, with all items from the first on, or one for each full batch. Nothing can be appended to such a file, so
 * it only counts items as they come, and reads them from the log again when it writes. After an interrupted end the file is that of
 * the clean end before.
 */
export class TableFeed implements Feed {
  readonly ended = false
  readonly #plan: FilePlan
  readonly #source: FeedSource
  readonly #writeTable: TableWriter
  /** Of what is in files. */
  #state: FeedState
  /** Counted up to here: `#waiting` items after the last file's, or after the start. */
  #position: number
  #waiting = 0

  constructor(plan: FilePlan, state: FeedState, source: FeedSource, writeTable: TableWriter) {
    this.#plan = plan
    this.#state = state
    this.#source = source
    this.#writeTable = writeTable
    this.#position = state.position
  }

  get position(): number {
    return this.#position
  }

  get state(): FeedState {
    return this.#state
  }

  async take(items: readonly LoggedItem[]): Promise<void> {
    const { batchSize = Number.POSITIVE_INFINITY } = this.#plan
    let taken = 0
    while (taken < items.length) {
      const some = items.slice(taken, taken + batchSize - this.#waiting)
      const last = some.at(-1)?.position ?? this.#position
      if (this.#waiting + some.length === batchSize) await this.#writeBatch(last)
      else this.#waiting += some.length
      this.#position = last
      taken += some.length
    }
  }

  async close(): Promise<void> {
    if (this.#waiting > 0) {
      if (this.#plan.batchSize !== undefined) await this.#writeBatch(this.#position)
      else await this.#writeAll()
    }
    this.#state = withoutTime(this.#state)
  }

  async #writeBatch(upTo: number): Promise<void> {
    const { from, batch } = this.#state
    await this.#writeTable(currentFile(this.#plan.path, this.#state), this.#rows(from, upTo))
    this.#state = { ...this.#state, position: upTo, from: upTo, batch: batch + 1 }
    this.#waiting = 0
  }

  async #writeAll(): Promise<void> {
    const items = await this.#writeTable(this.#plan.path, this.#rows(0, this.#position))
    const bytes = (await sizeOf(this.#plan.path)) ?? 0
    this.#state = { ...this.#state, position: this.#position, bytes, items }
    this.#waiting = 0
  }

  async *#rows(from: number, upTo: number): AsyncGenerator<readonly string[]> {
    let position = from
    while (position < upTo) {
      const page = await this.#source(position, PAGE_ITEMS)
      const items = page.filter((logged) => logged.position <= upTo)
      yield items.map(({ item }) => itemJson(pickFields(item, this.#plan.fields)))
      position = page.at(-1)?.position ?? upTo
    }
  }
}
