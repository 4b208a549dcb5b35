import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { type Clock, wallClock } from '../../base/clock.ts'
import { writeAll } from '../../base/durable-files.ts'
import { LruMap } from '../../base/lru-map.ts'
import type { ProcessEntry } from '../../domain/certificate/request-log-entry.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import { isWebUrl } from '../../domain/fetch/protocol.ts'
import type {
  ObservedLimits,
  ObservedRequest,
  ObservedRobots,
  RequestObserver,
} from '../../domain/fetch/request-observer.ts'
import {
  disallowedLine,
  logLine,
  openLine,
  requestLine,
  robotsLine,
  tenths,
  unsentLine,
  wasSent,
} from './request-log-line.ts'

/** The folder of the request logs in a crawl directory. */
export const REQUEST_LOG_FOLDER = 'requests'

/** The properties of the process that the log begins with. */
export type LoggedProcess = Omit<ProcessEntry, 'type' | 'format' | 'pid' | 'startedAt'>

export interface RequestLogOptions {
  /** The clock of the delays. */
  readonly clock: Clock
  readonly process: LoggedProcess
  /** Called once, with the first disk error. The crawl continues. */
  readonly onError: (error: unknown) => void
  /** Opens a file for appending. @default on the disk */
  readonly openFile?: (path: string) => Promise<LogFileHandle>
  /** The time of day. @default the machine's */
  readonly wall?: () => number
}

/** The part of a file handle that the log needs. */
export type LogFileHandle = Pick<FileHandle, 'writev' | 'truncate' | 'close'>

/**
 * Writes every request of a process to a file of its own in `<dir>/requests/`: each second, and at the end, the new lines are appended as
 * one Zstandard frame. A killed process loses at most the last second, and never damages earlier frames.
 *
 * A disk error does not end the crawl. The lines are kept up to a limit and written later; then the oldest are dropped, which the log says.
 */
export class RequestLog implements RequestObserver {
  readonly #directory: string
  readonly #options: RequestLogOptions
  readonly #startedAt: number
  #lines = ''
  /** Requests in `#lines`. */
  #pending = 0
  /** Frames that could not be written yet. */
  #unwritten: Frame[] = []
  /** Requests in frames that were dropped. */
  #lost: Omit<Frame, 'bytes'> | undefined
  #file: LogFileHandle | undefined
  #goodBytes = 0
  /** Requests in flight, with the number of their `open` line; 0: none. */
  readonly #inFlight = new Map<ObservedRequest, number>()
  #lastId = 0
  /** What the file defines already. Replaced when a part of the file is lost. */
  #limits = new WeakMap<ObservedLimits, number>()
  #limitsByValue = new Map<string, number>()
  #robots = new WeakMap<ObservedRobots, number>()
  #texts = new LruMap<string, true>(MAX_KNOWN_TEXTS)
  #lastFlushAt: number
  /** Whether there are lines since the last flush. */
  #hasNews = false
  #writing: Promise<void> = Promise.resolve()
  #hasWarned = false
  #cancelTimer: () => void = () => {}

  constructor(directory: string, options: RequestLogOptions) {
    this.#directory = directory
    this.#options = options
    this.#startedAt = options.clock.now()
    this.#lastFlushAt = this.#startedAt
    const entry = {
      type: 'process',
      format: 1,
      ...options.process,
      pid: process.pid,
      startedAt: tenths(this.#startedAt),
    }
    this.#lines = logLine(entry)
    this.#schedule()
  }

  sent(request: ObservedRequest): void {
    if (hasServer(request.url)) this.#inFlight.set(request, 0)
  }

  ended(request: ObservedRequest, outcome: FetchOutcome | undefined): void {
    if (!hasServer(request.url)) return
    const id = this.#inFlight.get(request) ?? 0
    this.#inFlight.delete(request)
    if (wasSent(outcome)) {
      this.#add(requestLine(request, outcome, this.#parts(request, id)))
      this.#pending++
    } else if (id !== 0) this.#add(unsentLine(request, id))
  }

  disallowed(url: string, key: string, robots: ObservedRobots | undefined): void {
    this.#add(disallowedLine(this.#options.clock.now(), url, key, this.#robotsId(robots, key)))
  }

  /** Resolves when the flushed lines are written, or have failed to be. */
  get idle(): Promise<void> {
    return this.#writing
  }

  /** Writes what is left, and the end of the process. Never rejects. */
  async close(): Promise<void> {
    this.#cancelTimer()
    // A run without requests leaves no file.
    if (this.#isUsed || this.#hasNews) this.#flush(true)
    await this.#writing
    await this.#file?.close().catch(() => {})
    this.#file = undefined
  }

  get #isUsed(): boolean {
    return this.#lastFlushAt > this.#startedAt
  }

  #add(line: string): void {
    this.#lines += line
    this.#hasNews = true
    if (this.#lines.length >= MAX_LINES_CHARS) this.#flush(false)
  }

  #parts(request: ObservedRequest, id: number) {
    return { id, limits: this.#limitsId(request.limits), robots: this.#robotsId(request.robots, request.key) }
  }

  #limitsId(limits: ObservedLimits | undefined): number {
    if (limits === undefined) return 0
    return this.#limits.get(limits) ?? this.#newLimits(limits)
  }

  #newLimits(limits: ObservedLimits): number {
    const { startGapMs, endGapMs, maxInFlight } = limits
    const value = `${startGapMs} ${endGapMs} ${maxInFlight}`
    let id = this.#limitsByValue.get(value)
    if (id === undefined) {
      id = ++this.#lastId
      this.#limitsByValue.set(value, id)
      this.#lines += logLine({ type: 'limits', id, startGapMs, endGapMs, maxInFlight })
    }
    this.#limits.set(limits, id)
    return id
  }

  #robotsId(robots: ObservedRobots | undefined, key: string): number {
    if (robots === undefined) return 0
    const known = this.#robots.get(robots)
    if (known !== undefined) return known
    const id = ++this.#lastId
    this.#robots.set(robots, id)
    this.#lines += robotsLine(id, key, robots, (hash) => {
      const isKnown = this.#texts.get(hash) === true
      this.#texts.set(hash, true, 1)
      return isKnown
    })
    return id
  }

  #schedule(): void {
    this.#cancelTimer = this.#options.clock.after(FLUSH_EVERY_MS, () => {
      if (this.#hasNews || this.#unwritten.length > 0 || this.#hasUnannounced()) this.#flush(false)
      this.#schedule()
    })
  }

  #hasUnannounced(): boolean {
    for (const id of this.#inFlight.values()) if (id === 0) return true
    return false
  }

  /** Compresses the lines into one frame, and appends it after the ones before it. */
  #flush(isEnd: boolean): void {
    const { clock, wall = wallClock.now } = this.#options
    const at = clock.now()
    this.#announceOpen()
    const flush = { type: 'flush', at: tenths(at), wall: tenths(wall()), ...(isEnd && { closed: true }) }
    const { requests, from, to } = this.#lost ?? { requests: 0, from: this.#lastFlushAt, to: at }
    if (this.#lost !== undefined)
      this.#lines += logLine({ type: 'lost', from: tenths(from), to: tenths(to), requests })
    this.#lost = undefined
    const bytes = zstdCompressSync(this.#lines + logLine(flush), COMPRESSION)
    // If this frame is dropped as well, so is its line about the lost requests.
    this.#unwritten.push({ bytes, requests: this.#pending + requests, from, to: at })
    this.#lines = ''
    this.#hasNews = false
    this.#pending = 0
    this.#lastFlushAt = at
    this.#writing = this.#writing.then(() => this.#write())
  }

  /** A line for each request that has been in flight since before this flush: if the process is killed, it is not lost. */
  #announceOpen(): void {
    for (const [request, id] of this.#inFlight) {
      if (id !== 0) continue
      const parts = this.#parts(request, ++this.#lastId)
      this.#inFlight.set(request, parts.id)
      this.#lines += openLine(request, parts)
    }
  }

  async #write(): Promise<void> {
    const frames = this.#unwritten
    if (frames.length === 0) return
    this.#unwritten = []
    let written = 0
    try {
      this.#file ??= await this.#open()
      for (const { bytes } of frames) {
        await writeAll(this.#file, [bytes])
        this.#goodBytes += bytes.byteLength
        written++
      }
    } catch (error) {
      this.#keep(frames.slice(written))
      await this.#file?.truncate(this.#goodBytes).catch(() => {})
      if (!this.#hasWarned) this.#options.onError(error)
      this.#hasWarned = true
    }
  }

  /** Keeps frames for the next flush; if there are too many, the oldest are dropped, except the first, which has the process. */
  #keep(frames: readonly Frame[]): void {
    const all = [...frames, ...this.#unwritten]
    let bytes = all.reduce((sum, frame) => sum + frame.bytes.byteLength, 0)
    while (bytes > MAX_UNWRITTEN_BYTES && all.length > 2) {
      const [dropped] = all.splice(1, 1) as [Frame]
      bytes -= dropped.bytes.byteLength
      const { requests = 0, from = dropped.from } = this.#lost ?? {}
      this.#lost = {
        requests: requests + dropped.requests,
        from: Math.min(from, dropped.from),
        to: dropped.to,
      }
      // The dropped frame may have defined these. Requests in later frames that are kept refer to unknown ones.
      this.#limits = new WeakMap()
      this.#limitsByValue = new Map()
      this.#robots = new WeakMap()
      this.#texts = new LruMap(MAX_KNOWN_TEXTS)
    }
    this.#unwritten = all
  }

  async #open(): Promise<LogFileHandle> {
    const { openFile = openOnDisk } = this.#options
    const folder = join(this.#directory, REQUEST_LOG_FOLDER)
    return openFile(join(folder, logFileName(this.#startedAt)))
  }
}

interface Frame {
  readonly bytes: Uint8Array
  readonly requests: number
  readonly from: number
  readonly to: number
}

/** With a checksum: damage is noticed, not read as other requests. */
const COMPRESSION = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
const FLUSH_EVERY_MS = 1_000
/** Flushed earlier, so that a frame stays small. */
const MAX_LINES_CHARS = 1024 * 1024
/** After a disk error: some minutes of a fast crawl. */
const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024
/** Hashes of robots.txt files that are known to be in the file; others are written again. */
const MAX_KNOWN_TEXTS = 10_000

function logFileName(startedAt: number): string {
  const time = new Date(startedAt).toISOString().replace(/[-:]/g, '')
  return `${time}-${process.pid}-${randomBytes(3).toString('hex')}.jsonl.zst`
}

async function openOnDisk(path: string): Promise<FileHandle> {
  await mkdir(join(path, '..'), { recursive: true })
  return open(path, 'ax')
}

/** Whether a request goes to a server whose rules a certificate is about: not for local files and protocols of the user. */
function hasServer(url: string): boolean {
  return isWebUrl(url) || url.startsWith('ftp:')
}
