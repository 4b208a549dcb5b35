import { closeSync, fstatSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { CrawlEvent, EventLevel, EventLog, EventTopic } from '../../base/event-log.ts'
import type { LogLevels } from '../../base/log-levels.ts'
import type { EventFormatter } from './event-lines.ts'

export interface LogFileOptions {
  readonly path: string
  readonly levels: LogLevels
  readonly format: EventFormatter
  /** The wall clock. */
  readonly clock: Clock
  /** Called when the file cannot be written, once per failure, and with the number of lost lines when it can be written again. */
  readonly onTrouble: (trouble: LogTrouble) => void
}

export type LogTrouble =
  | { readonly kind: 'failed'; readonly error: Error }
  | { readonly kind: 'recovered'; readonly linesLost: number }

/**
 * Appends events to a file. Lines are collected for a quarter of a second; warnings and errors are written at once, and everything before
 * the process exits. A file that cannot be written is tried again every ten seconds; lines in between are lost. After the file was renamed,
 * as logrotate does, a new one is created.
 *
 * Writing is synchronous: lines of a crash are complete, and one write of some kilobytes takes microseconds.
 */
export class LogFile implements EventLog {
  readonly #options: LogFileOptions
  readonly #onExit = () => this.flush()
  readonly #onHangUp = () => this.reopen()
  #lines: string[] = []
  #characters = 0
  #file: { readonly descriptor: number; readonly inode: number } | undefined
  #cancelFlush: (() => void) | undefined
  #checkedAt = 0
  #failedAt: number | undefined
  #linesLost = 0
  /** The file ends with a part of a line. */
  #isCut = false

  constructor(options: LogFileOptions) {
    this.#options = options
    process.on('exit', this.#onExit)
    // For logrotate. In a terminal the signal ends the process, as its user expects.
    if (!process.stderr.isTTY) process.on('SIGHUP', this.#onHangUp)
    this.#open()
  }

  isOn(topic: EventTopic, level: EventLevel): boolean {
    return this.#options.levels.isOn(topic, level)
  }

  write(event: CrawlEvent): void {
    const { clock, format } = this.#options
    const line = format(event, clock.now())
    this.#lines.push(line)
    this.#characters += line.length
    if (event.level === 'error' || event.level === 'warning' || this.#characters >= MAX_CHARACTERS)
      this.flush()
    else this.#cancelFlush ??= clock.after(FLUSH_MS, () => this.flush())
  }

  /** Writes the collected lines. */
  flush(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    const lines = this.#lines
    if (lines.length === 0) return
    this.#lines = []
    this.#characters = 0
    const now = this.#options.clock.now()
    if (this.#failedAt !== undefined && now - this.#failedAt < RETRY_MS) {
      this.#linesLost += lines.length
      return
    }
    if (now - this.#checkedAt >= CHECK_MS && this.#isReplaced()) this.#close()
    this.#checkedAt = now
    try {
      this.#open()
      if (this.#file !== undefined) this.#append(this.#file.descriptor, `${lines.join('\n')}\n`)
    } catch (error) {
      this.#fail(error, lines.length)
      return
    }
    if (this.#file === undefined) this.#linesLost += lines.length
    else this.#recovered()
  }

  /** Opens the file again by its name. */
  reopen(): void {
    this.flush()
    this.#close()
    this.#open()
  }

  close(): void {
    this.flush()
    process.off('exit', this.#onExit)
    process.off('SIGHUP', this.#onHangUp)
    this.#close()
  }

  #open(): void {
    if (this.#file !== undefined) return
    const { path } = this.#options
    try {
      mkdirSync(dirname(path), { recursive: true })
      const descriptor = openSync(path, 'a')
      this.#file = { descriptor, inode: fstatSync(descriptor).ino }
    } catch (error) {
      this.#fail(error, 0)
    }
  }

  /** A nearly full disk may take only a part. The end of that line is lost, and the next one starts on a new line. */
  #append(descriptor: number, text: string): void {
    const bytes = Buffer.from(this.#isCut ? `\n${text}` : text)
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(descriptor, bytes, at)
      this.#isCut = at < bytes.length
    }
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor)
    this.#file = undefined
  }

  #isReplaced(): boolean {
    return statSync(this.#options.path, { throwIfNoEntry: false })?.ino !== this.#file?.inode
  }

  #fail(cause: unknown, lines: number): void {
    const isNew = this.#failedAt === undefined
    this.#failedAt = this.#options.clock.now()
    this.#linesLost += lines
    const error = cause instanceof Error ? cause : new Error(String(cause))
    if (isNew) this.#options.onTrouble({ kind: 'failed', error })
  }

  #recovered(): void {
    if (this.#failedAt === undefined) return
    const linesLost = this.#linesLost
    this.#failedAt = undefined
    this.#linesLost = 0
    this.#options.onTrouble({ kind: 'recovered', linesLost })
  }
}

const FLUSH_MS = 250
const MAX_CHARACTERS = 64 * 1024
const CHECK_MS = 1_000
const RETRY_MS = 10_000
