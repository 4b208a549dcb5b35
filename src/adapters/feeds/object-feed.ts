import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import type { ObjectStore } from '../../domain/object-store/object-store.ts'
import type { Feed } from './feed.ts'
import { currentFile, sizeOf } from './feed-path.ts'
import type { FeedState } from './feed-states.ts'
import type { FilePlan } from './feed-target.ts'

export interface ObjectFeedParts {
  /** Writes the files. */
  readonly feed: Feed
  /** Of `feed`: `path` is the local one. */
  readonly plan: FilePlan
  /** The folder of the objects, which have the names of the files. */
  readonly store: ObjectStore
  /** Removed at the end. `undefined`: the files are kept for the next run. */
  readonly temporaryFolder: string | undefined
}

/**
 * A feed in an object store. Files are written to a local folder by another feed, and put when they are complete and the state that says so is
 * persisted: a killed process loses nothing, and the next one puts the rest. A put may be repeated: it has the same name and the same bytes.
 */
export class ObjectFeed implements Feed {
  readonly #parts: ObjectFeedParts
  #unpublished: readonly string[]
  #state: FeedState | undefined
  #isComplete = false
  #hasFailed = false

  constructor(parts: ObjectFeedParts) {
    this.#parts = parts
    this.#unpublished = parts.feed.state?.unpublished ?? []
    this.#updateState()
  }

  get position(): number {
    return this.#parts.feed.position
  }

  get ended(): boolean {
    return this.#parts.feed.ended
  }

  get state(): FeedState | undefined {
    return this.#state
  }

  take(items: readonly LoggedItem[]): Promise<void> {
    return this.#write((feed) => feed.take(items))
  }

  async close(): Promise<void> {
    await this.#write((feed) => feed.close())
    this.#isComplete = true
  }

  async publish(): Promise<void> {
    const { plan } = this.#parts
    try {
      for (const name of this.#unpublished) {
        await this.#putComplete(name)
        this.#unpublished = this.#unpublished.slice(1)
        this.#updateState()
      }
      if (this.#isComplete && plan.batchSize === undefined) await this.#putWhole(basename(plan.path))
      this.#hasFailed = false
    } catch (error) {
      this.#hasFailed = true
      throw this.#withFolder(error as Error)
    }
  }

  async release(): Promise<void> {
    const { store, temporaryFolder } = this.#parts
    await store.close()
    if (temporaryFolder !== undefined && !this.#hasFailed)
      await rm(temporaryFolder, { recursive: true, force: true })
  }

  /** Files that were completed meanwhile, even if it fails, are to be published. */
  async #write(work: (feed: Feed) => Promise<void>): Promise<void> {
    const { feed, plan } = this.#parts
    const before = feed.state
    try {
      await work(feed)
    } finally {
      if (before !== undefined && plan.batchSize !== undefined) {
        const names: string[] = []
        for (let batch = before.batch; batch < (feed.state?.batch ?? 0); batch++)
          names.push(basename(currentFile(plan.path, { ...before, batch })))
        this.#unpublished = [...this.#unpublished, ...names]
      }
      this.#updateState()
    }
  }

  /** A process that was killed after a put has removed the file already. */
  async #putComplete(name: string): Promise<void> {
    const { store } = this.#parts
    const file = this.#localFile(name)
    if ((await sizeOf(file)) !== undefined) {
      await store.put(name, { file })
      await rm(file)
      return
    }
    for await (const { key } of store.list(name)) if (key === name) return
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `${file} is gone, and is not in ${store.url}: restore it, or remove feeds.json to have the export written anew`,
    )
  }

  /** A later run appends to the file, so it stays. Without items there may be none. */
  async #putWhole(name: string): Promise<void> {
    const file = this.#localFile(name)
    if ((await sizeOf(file)) !== undefined) await this.#parts.store.put(name, { file })
  }

  /** Without a crawl directory, there is no next run that puts the files. */
  #withFolder(error: Error): Error {
    const { temporaryFolder } = this.#parts
    if (temporaryFolder !== undefined) error.message += `. The files are kept in ${temporaryFolder}`
    return error
  }

  #localFile(name: string): string {
    return join(dirname(this.#parts.plan.path), name)
  }

  #updateState(): void {
    const { state } = this.#parts.feed
    if (state === undefined) return
    const { unpublished: _, ...inner } = state
    this.#state = this.#unpublished.length === 0 ? inner : { ...inner, unpublished: this.#unpublished }
  }
}
