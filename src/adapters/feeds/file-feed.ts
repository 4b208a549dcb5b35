import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { diskFiles } from '../../base/durable-files.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import type { Feed } from './feed.ts'
import { currentFile } from './feed-path.ts'
import { type FeedState, withoutTime } from './feed-states.ts'
import type { FilePlan, TextFormatName } from './feed-target.ts'
import { TEXT_FORMATS, type TextFormat, widened } from './text-format.ts'

/**
 * Appends items to a text file, or to one after the other. The state has the length of the file without its tail: whatever is beyond, a tail or
 * what a killed process wrote, is cut before more is written.
 */
export class FileFeed implements Feed {
  readonly ended = false
  readonly #plan: FilePlan
  readonly #format: TextFormat
  readonly #batchSize: number
  /** Of the schema: the first columns of a CSV file. */
  readonly #schemaFields: readonly string[]
  #state: FeedState

  constructor(
    plan: FilePlan & { readonly format: TextFormatName },
    state: FeedState,
    schemaFields: readonly string[],
  ) {
    this.#plan = plan
    this.#format = TEXT_FORMATS[plan.format]
    this.#batchSize = plan.batchSize ?? Number.POSITIVE_INFINITY
    this.#schemaFields = schemaFields
    this.#state = state
  }

  get position(): number {
    return this.#state.position
  }

  get state(): FeedState {
    return this.#state
  }

  async take(items: readonly LoggedItem[]): Promise<void> {
    let taken = 0
    while (taken < items.length) {
      const room = Math.max(0, this.#batchSize - this.#state.items)
      const some = items.slice(taken, taken + room)
      if (some.length > 0) {
        if (this.#widen(some) === 'went back') return
        await this.#append(some)
      }
      if (this.#state.items >= this.#batchSize) await this.#seal()
      taken += some.length
    }
  }

  /** A batch that a clean end completed stays as it is; the next run begins another. */
  async close(): Promise<void> {
    if (this.#plan.batchSize !== undefined) {
      if (this.#state.items > 0) await this.#seal()
      this.#state = withoutTime(this.#state)
      return
    }
    // No file for an empty list of rejected items.
    if (this.#state.items === 0 && this.#plan.from === 'rejected') return
    await this.#end()
  }

  /**
   * The header of a CSV file has all fields of all items. One that turns up later makes the file be written anew from its first item, which
   * the log still has. Nothing is touched until the new state is remembered, which says that nothing in the file counts.
   */
  #widen(items: readonly LoggedItem[]): 'went back' | undefined {
    if (this.#format !== TEXT_FORMATS.csv || this.#plan.fields !== undefined) return undefined
    const before = this.#state.columns ?? this.#schemaFields
    const columns = widened(before, items)
    if (columns.length > MAX_COLUMNS)
      throw new ConfigurationError(
        'EXPORT_INVALID',
        `the items for ${this.#plan.path} have more than ${MAX_COLUMNS} different fields: name those you want with fields, or export as jsonl`,
      )
    if (columns === this.#state.columns) return undefined
    if (this.#state.items === 0) {
      this.#state = { ...this.#state, columns }
      return undefined
    }
    this.#state = { ...this.#state, columns, position: this.#state.from, bytes: 0, items: 0 }
    return 'went back'
  }

  async #append(items: readonly LoggedItem[]): Promise<void> {
    const bytes = await this.#write(this.#texts(items))
    const position = items.at(-1)?.position ?? this.#state.position
    this.#state = { ...this.#state, bytes, items: this.#state.items + items.length, position }
  }

  *#texts(items: readonly LoggedItem[]): Generator<string> {
    const columns = this.#plan.fields ?? this.#state.columns
    const { items: before } = this.#state
    if (before === 0) yield this.#format.head(columns)
    for (const [i, { item }] of items.entries()) yield this.#format.item(item, columns, before + i === 0)
  }

  async #seal(): Promise<void> {
    await this.#end()
    const { batch, position } = this.#state
    this.#state = { ...this.#state, batch: batch + 1, from: position, bytes: 0, items: 0 }
  }

  /** Completes the current file. */
  async #end(): Promise<void> {
    const columns = this.#plan.fields ?? this.#state.columns ?? this.#schemaFields
    const head = this.#state.items === 0 ? this.#format.head(columns) : ''
    await this.#write([head, this.#format.tail])
  }

  /** Puts `texts` where the current file ends; they are on the disk when it is fulfilled. Returns the length of the file. */
  async #write(texts: Iterable<string>): Promise<number> {
    // Opened each time: nothing is left open when a crawl is given up.
    const path = currentFile(this.#plan.path, this.#state)
    const file = await open(path, 'a')
    let { bytes } = this.#state
    try {
      await file.truncate(bytes)
      for (const data of inChunks(texts)) {
        await file.appendFile(data)
        bytes += data.length
      }
      await file.datasync()
      // The file may be new: its name has to be on the disk too.
      if (this.#state.bytes === 0) await diskFiles.sync(dirname(path))
      return bytes
    } catch (error) {
      // No half item for those who read it meanwhile. Where this fails too, the next attempt does it.
      await file.truncate(this.#state.bytes).catch(() => {})
      throw error
    } finally {
      await file.close()
    }
  }
}

function* inChunks(texts: Iterable<string>): Generator<Buffer> {
  let chunk = ''
  for (const text of texts) {
    chunk += text
    if (chunk.length < CHUNK_LENGTH) continue
    yield Buffer.from(chunk)
    chunk = ''
  }
  if (chunk !== '') yield Buffer.from(chunk)
}

/** About what is held as text at a time. */
const CHUNK_LENGTH = 1 << 20

/** A header longer than this comes from fields that are data. */
const MAX_COLUMNS = 1_000
