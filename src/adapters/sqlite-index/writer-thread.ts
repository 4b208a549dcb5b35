import { Worker } from 'node:worker_threads'
import type { CrawlError } from '../../base/crawl-error.ts'
import { programModule } from '../../base/program-files.ts'
import { type IndexChange, IndexUnavailable } from '../../domain/indexing/index-writer.ts'
import {
  receivedIndexError,
  type WriterReply,
  type WriterRequest,
  type WriterThreadData,
} from './writer-messages.ts'

/**
 * A thread that writes the embedded index while the calling thread makes the next documents. A failure ends its work: the call that waits,
 * or else the next one, rejects with it, and all later ones.
 */
export class WriterThread {
  readonly #worker: Worker
  readonly #ended: Promise<void>
  /** The sizes of the requests that have no reply yet, in order. */
  readonly #pending: number[] = []
  #pendingSize = 0
  #failure: CrawlError | undefined
  /** Resolves with the next reply, or when the thread ends. */
  #news = Promise.withResolvers<void>()

  constructor(crawlDirectory: string) {
    this.#worker = new Worker(programModule('adapters/sqlite-index/index-writer-thread'), {
      workerData: { crawlDirectory } satisfies WriterThreadData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    this.#worker.on('message', ({ failure }: WriterReply) => {
      this.#pendingSize -= this.#pending.shift() ?? 0
      if (failure !== undefined) this.#failure ??= receivedIndexError(failure)
      this.#tell()
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#fail('the thread has ended')
        resolve()
      })
    })
  }

  /** Resolves when few changes wait to be written, these included. */
  async write(changes: readonly IndexChange[]): Promise<void> {
    const size = changes.reduce((sum, change) => sum + changeSize(change), 0)
    this.#send({ kind: 'write', changes }, size)
    while (this.#pendingSize > MAX_PENDING_SIZE) await this.#nextReply()
  }

  /** Resolves when all changes are committed. */
  async commit(): Promise<void> {
    this.#send({ kind: 'commit' }, 0)
    while (this.#pending.length > 0) await this.#nextReply()
  }

  /** Discards what is not committed. */
  async close(): Promise<void> {
    this.#worker.postMessage({ kind: 'close' } satisfies WriterRequest)
    await this.#ended
  }

  #send(request: WriterRequest, size: number): void {
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#worker.postMessage(request)
    } catch {
      // A filter may have added a function, which no message can hold; an index has no field for it.
      this.#worker.postMessage(JSON.parse(JSON.stringify(request)))
    }
    this.#pending.push(size)
    this.#pendingSize += size
  }

  async #nextReply(): Promise<void> {
    if (this.#failure === undefined) await this.#news.promise
    if (this.#failure !== undefined) throw this.#failure
  }

  #fail(reason: unknown): void {
    this.#failure ??= new IndexUnavailable(
      `the thread that writes the embedded index failed: ${String(reason)}`,
      {
        cause: reason,
      },
    )
    this.#tell()
  }

  #tell(): void {
    this.#news.resolve()
    this.#news = Promise.withResolvers()
  }
}

/** About the memory that a change takes, in characters. */
export function changeSize(change: IndexChange): number {
  return CHANGE_SIZE + (change.kind === 'put' ? change.document.content.length : 0)
}

const CHANGE_SIZE = 1_000
/** Some hundreds of pages of 5,000 characters: as many as are made while the thread starts. */
const MAX_PENDING_SIZE = 4_000_000
/** As for parser and handler threads: the default is up to 96. */
const YOUNG_MEGABYTES = 24
