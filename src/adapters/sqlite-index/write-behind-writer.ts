import { setImmediate as nextTurn } from 'node:timers/promises'
import type { IndexChange, IndexWriter, RefusedChange } from '../../domain/indexing/index-writer.ts'
import { SqliteIndexWriter } from './sqlite-index-writer.ts'
import type { SynonymGroups } from './synonyms.ts'
import { changeSize, WriterThread } from './writer-thread.ts'

export interface WriteBehindOptions {
  /** @default those that are stored */
  readonly synonyms?: SynonymGroups
  /** Changes since the last commit above which a thread writes. @default 300 */
  readonly threadAfter?: number
}

/**
 * Writes the embedded index of a crawl directory in a thread, while the calling thread makes the next documents. Starting a thread costs as
 * much as writing some hundreds of documents, so that the first changes are held: if a commit comes before there are more, the calling
 * thread writes them.
 *
 * `write` only passes changes on. If one cannot be written, the next call rejects, `commit` at the latest, and nothing since the last commit
 * is in the index.
 */
export class WriteBehindWriter implements IndexWriter {
  readonly name = 'sqlite'
  /** Small, because writing may block the calling thread. */
  readonly batchSize = 100
  readonly #crawlDirectory: string
  readonly #threadAfter: number
  readonly #local: SqliteIndexWriter
  #held: IndexChange[] = []
  #heldSize = 0
  #thread: WriterThread | undefined

  private constructor(crawlDirectory: string, local: SqliteIndexWriter, threadAfter: number) {
    this.#crawlDirectory = crawlDirectory
    this.#local = local
    this.#threadAfter = threadAfter
  }

  /** @throws IndexUnusable */
  static open(
    crawlDirectory: string,
    { synonyms, threadAfter = THREAD_AFTER }: WriteBehindOptions = {},
  ): WriteBehindWriter {
    return new WriteBehindWriter(
      crawlDirectory,
      SqliteIndexWriter.open(crawlDirectory, synonyms),
      threadAfter,
    )
  }

  async write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]> {
    if (this.#thread !== undefined) {
      await this.#thread.write(changes)
      return []
    }
    for (const change of changes) {
      this.#held.push(change)
      this.#heldSize += changeSize(change)
    }
    if (this.#held.length > this.#threadAfter || this.#heldSize > MAX_HELD_SIZE) {
      await this.#local.close()
      this.#thread = new WriterThread(this.#crawlDirectory)
      await this.#thread.write(this.#released())
    }
    return []
  }

  async commit(): Promise<void> {
    if (this.#thread !== undefined) return this.#thread.commit()
    const held = this.#released()
    for (let i = 0; i < held.length; i += this.batchSize) {
      await this.#local.write(held.slice(i, i + this.batchSize))
      await nextTurn()
    }
    await this.#local.commit()
  }

  async close(): Promise<void> {
    await this.#local.close()
    await this.#thread?.close()
    this.#thread = undefined
  }

  #released(): IndexChange[] {
    this.#heldSize = 0
    return this.#held.splice(0)
  }
}

const THREAD_AFTER = 300
/** Characters: a few pages may be as large as hundreds. */
const MAX_HELD_SIZE = 2_000_000
