import { type Clock, wallClock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { OwnerGone } from '../crawl-directory/control/control-error.ts'
import { CrawlDirectoryLocked, CrawlDirectoryMissing } from '../crawl-directory/crawl-directory-error.ts'
import type { LockOwner } from '../crawl-directory/crawl-lock.ts'
import type { CrawlDirectory } from './open-crawl-directory.ts'
import { liveOwner, openReadSource } from './open-crawl-directory-to-read.ts'
import type { ReadSource } from './read-only-directory.ts'

export interface CrawlReadsOptions {
  /** @default wallClock */
  readonly clock?: Clock
  /** Memory limit of the database in MB while its files are read. @default 512 */
  readonly memoryMb?: number
  /** How long the files stay open after the last use. @default 1500 */
  readonly idleMs?: number
}

export interface CrawlRead<T> {
  /** Time of the state (ms since the epoch). */
  readonly asOf?: number
  /** The process that owns the crawl now. */
  readonly owner?: LockOwner
  readonly value?: T
}

/**
 * Reads a crawl for hours without getting in the way of the processes that write to it. A crawl that another process owns is read
 * through the control socket of that process. Otherwise the files are opened, and closed again soon after: a process that wants to write waits for that.
 */
export class CrawlReads {
  readonly #path: string
  readonly #options: CrawlReadsOptions
  #files: SharedFiles | undefined
  #opening: Promise<ReadSource> | undefined

  constructor(path: string, options: CrawlReadsOptions = {}) {
    this.#path = path
    this.#options = options
  }

  /**
   * Calls `work` with the present state. If it cannot be read (the directory has no database yet, or its owner does not respond), `work`
   * is not called and there is no value.
   * @throws DatabaseUnreadable, ResourcesExhausted
   */
  async read<T>(work: (crawl: CrawlDirectory) => Promise<T>): Promise<CrawlRead<T>> {
    for (let attempt = 1; ; attempt++) {
      const owner = liveOwner(this.#path)
      // The owner may be waiting for the files.
      if (owner !== undefined) await this.#closeFiles()
      try {
        const value = await this.#use(work)
        const asOf = (this.#options.clock ?? wallClock).now()
        return { asOf, ...withoutUndefined({ owner: liveOwner(this.#path) }), value }
      } catch (error) {
        if (error instanceof OwnerGone && attempt < MAX_ATTEMPTS) continue
        const isUnavailable = error instanceof CrawlDirectoryLocked || error instanceof CrawlDirectoryMissing
        if (isUnavailable) return withoutUndefined({ owner: liveOwner(this.#path) })
        throw error
      }
    }
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined)
    await this.#closeFiles()
  }

  async #use<T>(work: (crawl: CrawlDirectory) => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#files !== undefined) return this.#files.use(work)
      // Concurrent calls share one source.
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined
      })
      const { kind, directory } = await this.#opening
      if (kind === 'owner') return work(directory)
    }
  }

  async #open(): Promise<ReadSource> {
    const { memoryMb = 512, clock } = this.#options
    const source = await openReadSource(this.#path, {
      command: 'serve',
      memoryMb,
      ...withoutUndefined({ clock }),
    })
    if (source.kind === 'files') {
      const files = new SharedFiles(source.directory, this.#options.idleMs ?? IDLE_MS, () => {
        if (this.#files === files) this.#files = undefined
      })
      this.#files = files
    }
    return source
  }

  async #closeFiles(): Promise<void> {
    const files = this.#files
    this.#files = undefined
    await files?.retire()
  }
}

const MAX_ATTEMPTS = 5
const IDLE_MS = 1_500

/** An open directory with several users. It is closed some time after the last use, or when it is retired and no longer in use. */
class SharedFiles {
  readonly #directory: CrawlDirectory
  readonly #idleMs: number
  readonly #onClose: () => void
  #users = 0
  #isRetired = false
  #timer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(directory: CrawlDirectory, idleMs: number, onClose: () => void) {
    this.#directory = directory
    this.#idleMs = idleMs
    this.#onClose = onClose
    this.#closeLater(idleMs)
  }

  async use<T>(work: (crawl: CrawlDirectory) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer)
    this.#users++
    try {
      return await work(this.#directory)
    } finally {
      this.#users--
      if (this.#users === 0) this.#closeLater(this.#isRetired ? 0 : this.#idleMs)
    }
  }

  /** Closes it as soon as it is not in use. The caller does not wait for other users. */
  async retire(): Promise<void> {
    clearTimeout(this.#timer)
    this.#isRetired = true
    if (this.#users === 0) await this.#close()
  }

  #closeLater(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#close(), ms)
    this.#timer.unref()
  }

  #close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => {
      this.#onClose()
      return this.#directory.close()
    })
    return this.#closing
  }
}
