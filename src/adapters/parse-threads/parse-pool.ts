import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import { programModule } from '../../base/program-files.ts'
import { typeByMagic } from '../../domain/content/magic-bytes.ts'
import { sniffType } from '../../domain/content/sniff-type.ts'
import { header } from '../../domain/fetch/headers.ts'
import { failedParse, type PageToParse, type ParsedPage } from '../../domain/parse/parsed-page.ts'
import type { SettingsSource } from '../config/load-settings.ts'
import { type BatchStart, newBatchStart, type ParseBatch } from './batch-start.ts'
import type { StartingParser } from './on-demand-parser.ts'
import { limitThreadTime } from './thread-time-limit.ts'

/** The data that the rules of a crawl are built from. Rules are functions, which cannot be sent to a thread. */
export interface RulesSource {
  readonly settings: SettingsSource
  /** Normalised seed URLs, at least one per host. Absent: no scope. */
  readonly seeds?: readonly string[]
}

export interface ParsePoolOptions {
  /** At least 1. Threads start on demand. */
  readonly threads: number
  /** CPU time per page; then its thread is terminated, as it is when it waits as long without using any. @default 30000 */
  readonly timeoutMs?: number
  /** Heap limit of a thread, not counting page bodies; a page that needs more terminates its thread. @default 512 */
  readonly maxThreadMegabytes?: number
}

/** Parses in worker threads. Build the rules in the main thread first, where an invalid rule is reported as an error. */
export class ParsePool implements StartingParser {
  readonly #clock: Clock
  readonly #threads: number
  readonly #timeoutMs: number
  readonly #pool: Piscina
  readonly #waiting: Job[] = []
  #running = 0
  #isClosed = false

  constructor(clock: Clock, rules: RulesSource, options: ParsePoolOptions) {
    const { threads, timeoutMs = 30_000, maxThreadMegabytes = 512 } = options
    this.#clock = clock
    this.#threads = threads
    this.#timeoutMs = timeoutMs
    this.#pool = new Piscina({
      filename: fileURLToPath(programModule('adapters/parse-threads/parse-worker')),
      workerData: rules,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 30_000,
      recordTiming: false,
      resourceLimits: {
        maxOldGenerationSizeMb: maxThreadMegabytes,
        maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
      },
    })
  }

  async start(): Promise<void> {
    // A thread that cannot start is reported with the pages.
    await this.#pool
      .run({ pages: [], start: newBatchStart() } satisfies ParseBatch, { name: 'parseAll' })
      .catch(() => undefined)
  }

  parse(page: PageToParse): Promise<ParsedPage> {
    return new Promise((resolve) => {
      this.#waiting.push({ page, resolve })
      this.#startNext()
    })
  }

  /** Pages that are not parsed yet never are. */
  close(): Promise<void> {
    this.#isClosed = true
    this.#waiting.length = 0
    return this.#pool.destroy()
  }

  /** Pages wait here and not in piscina, so that they form batches and the time limit starts when a thread starts on the page. */
  #startNext(): void {
    if (this.#running < this.#threads && this.#waiting.length > 0) void this.#runBatch(this.#nextBatch())
  }

  #nextBatch(): Job[] {
    const share = Math.min(MAX_BATCH, Math.ceil(this.#waiting.length / this.#threads))
    let bytes = 0
    let count = 0
    while (count < share && bytes < MAX_BATCH_BYTES) bytes += decodedBytes(this.#waiting[count++]?.page)
    return this.#waiting.splice(0, count)
  }

  async #runBatch(jobs: readonly Job[]): Promise<void> {
    this.#running++
    await this.#settle(jobs)
    this.#running--
    this.#startNext()
  }

  async #settle(jobs: readonly Job[]): Promise<void> {
    const parsed = await this.#run(jobs)
    if (this.#isClosed) return
    if (typeof parsed !== 'string') for (const [i, page] of parsed.entries()) jobs[i]?.resolve(page)
    // One of the pages crashed the thread: parse each alone to find it.
    else if (jobs.length > 1) for (const job of jobs) await this.#settle([job])
    else for (const { page, resolve } of jobs) resolve(failedParse(page.url, typeOf(page), parsed))
  }

  /** The parsed pages, or the reason of the failure. */
  async #run(jobs: readonly Job[]): Promise<ParsedPage[] | string> {
    // A copy of the bytes, which can be transferred: the caller keeps its bytes, and a view may share its memory with other data.
    const pages = jobs.map(({ page }) => ({ ...page, bytes: new Uint8Array(page.bytes) }))
    const start = newBatchStart()
    const tooLong = new AbortController()
    const endWatch = limitThreadTime({
      clock: this.#clock,
      limitMs: this.#timeoutMs,
      cpuMs: () => this.#cpuMs(start),
      onExceeded: () => tooLong.abort(),
    })
    const batch: ParseBatch = { pages, start }
    try {
      return await this.#pool.run(batch, {
        name: 'parseAll',
        transferList: pages.map(({ bytes }) => bytes.buffer),
        signal: tooLong.signal,
      })
    } catch (error) {
      if (tooLong.signal.aborted) return `not parsed within ${this.#timeoutMs} ms of CPU time`
      return printable(
        `the parser thread crashed on this page: ${error instanceof Error ? error.message : String(error)}`,
      )
    } finally {
      endWatch()
    }
  }

  async #cpuMs(start: BatchStart): Promise<number | 'starting' | undefined> {
    const [threadId, startCpuMs = Number.NaN] = start
    if (threadId === 0) return 'starting'
    const thread = this.#pool.threads.find((worker) => worker.threadId === threadId)
    const usedMs = (await threadCpuMs(thread)) - startCpuMs
    return Number.isNaN(usedMs) ? undefined : usedMs
  }
}

interface Job {
  readonly page: PageToParse
  readonly resolve: (parsed: ParsedPage) => void
}

/** Approximately. The rows of a gzipped sitemap are larger than its text, and eight of them in one message took 120 MB, twice. */
function decodedBytes(page: PageToParse | undefined): number {
  if (page === undefined) return 0
  const { bytes } = page
  return typeByMagic(bytes) === 'application/gzip' ? bytes.length * GZIP_RATIO : bytes.length
}

/** Of sitemaps: 16 to 20. */
const GZIP_RATIO = 20

/** NaN: the version of Node.js cannot measure it, or the thread has ended. */
async function threadCpuMs(
  thread: (Pick<Worker, 'threadId'> & Partial<Worker>) | undefined,
): Promise<number> {
  try {
    const usage = await thread?.cpuUsage?.()
    return usage === undefined ? Number.NaN : (usage.user + usage.system) / 1000
  } catch {
    return Number.NaN
  }
}

function typeOf({ url, headers, bytes }: PageToParse): string {
  return sniffType(bytes, header(headers, 'content-type'), url).type
}

/** Of the heap of a thread, where the garbage of a batch of pages is: two spaces of 8 MB, and large objects. The default is up to 96. */
const YOUNG_MEGABYTES = 24
/** Pages per message to a thread. Sending them one by one takes the main thread twice the CPU time of fetching them. */
const MAX_BATCH = 16
const MAX_BATCH_BYTES = 4 * 1024 * 1024
