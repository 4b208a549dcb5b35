import { formatterOf, plainMessage } from '../adapters/logs/event-lines.ts'
import { type Clock, wallClock } from '../base/clock.ts'
import type { EventCode } from '../base/event-codes.ts'
import type { CrawlEvent, EventLog } from '../base/event-log.ts'
import { type LogSettings, levelsOf } from '../wiring/run-log.ts'
import type { Terminal } from './terminal.ts'
import { fitColumns, textColumns } from './text-columns.ts'

/** Draws the status line for a width in columns. */
export type DrawStatus = (columns: number) => string

/**
 * The terminal of a command. Its status line stays below all other output: it is removed before something is written, and drawn again
 * after it. With a JSON log, everything on standard error is JSON lines; with `--quiet`, only errors are written there.
 */
export class Screen implements Terminal {
  readonly #terminal: Terminal
  readonly #clock: Clock
  readonly #stopResizing: () => void
  #draw: DrawStatus | undefined
  /** Columns of the status line on the screen; 0: it is not there. */
  #drawnColumns = 0
  #isQuiet = false
  #isJson = false
  #showsInfo = false
  readonly #warnings = new Map<string, number>()

  constructor(terminal: Terminal, clock: Clock = wallClock) {
    this.#terminal = terminal
    this.#clock = clock
    this.#stopResizing = terminal.onResize?.(() => this.#redraw()) ?? (() => {})
  }

  get input(): AsyncIterable<Uint8Array> {
    return this.#terminal.input
  }

  get interrupted(): AbortSignal {
    return this.#terminal.interrupted
  }

  get columns(): number | undefined {
    return this.#terminal.columns
  }

  /** `undefined`, too, if a status line must not be drawn. */
  get screenColumns(): number | undefined {
    return this.#isJson ? undefined : this.#terminal.screenColumns
  }

  get program(): string | undefined {
    return this.#terminal.program
  }

  /** Prints what was held back: see `Terminal.release`. */
  release(): void {
    this.#terminal.release?.()
  }

  /** @param quiet whether only errors are written to standard error */
  setQuiet(quiet: boolean): void {
    this.#isQuiet = quiet
  }

  out(text: string): void {
    // A file or a pipe does not disturb the status line.
    if (this.columns === undefined) this.#terminal.out(text)
    else this.#above(text, (above) => this.#terminal.out(above))
  }

  outRoom(): Promise<void> {
    return this.#terminal.outRoom()
  }

  /** Text that is not an event: reports of commands. */
  err(text: string): void {
    const isError = text.startsWith('error: ')
    if (this.#isQuiet && !isError) return
    if (this.#isJson) this.#write(textEvent(text, isError), formatterOf('json'))
    else this.#above(text, (above) => this.#terminal.err(above))
  }

  /** The error that ends the command: `error: <message>`, or with a JSON log an event with this code. */
  fail(code: string, message: string): void {
    if (!this.#isJson) this.err(`error: ${message}\n`)
    else this.#write({ level: 'error', topic: 'crawl', code, message }, formatterOf('json'))
  }

  /** Text that the log has as an event, too: not written if the log shows it. */
  report(text: string): void {
    if (!this.#showsInfo) this.err(text)
  }

  /** Shows the status line, or with `undefined` removes it. Does nothing if standard error is not a screen. */
  setStatus(draw: DrawStatus | undefined): void {
    this.#draw = this.#isQuiet || this.screenColumns === undefined ? undefined : draw
    this.#redraw()
  }

  /** A line of the progress for a log, where there is no status line. */
  logProgress(text: string): void {
    if (this.#isQuiet) return
    if (this.#isJson)
      this.#write({ level: 'info', topic: 'crawl', code: 'PROGRESS', message: text }, formatterOf('json'))
    else this.#terminal.err(`${text}\n`)
  }

  /** The part of the log that goes to standard error. With a log file, only notices, warnings and errors do. */
  openLog({ level, format, file }: LogSettings): EventLog {
    const toFile = file !== undefined
    const isPlain = toFile || (level === undefined && format === undefined)
    this.#isJson = !toFile && format === 'json'
    const general = this.#isQuiet ? 'error' : isPlain ? 'notice' : 'info'
    const levels = levelsOf(toFile || this.#isQuiet || level === undefined ? {} : { level }, general)
    this.#showsInfo = levels.isOn('crawl', 'info')
    const line = isPlain ? plainMessage : formatterOf(format ?? 'pretty')
    return {
      isOn: (topic, one) => levels.isOn(topic, one),
      write: (event) => {
        // `fail` prints the error that ends the command.
        if (isPlain && (event.code === ('CRAWL_FAILED' satisfies EventCode) || this.#isRepeated(event)))
          return
        this.#write(event, line)
      },
    }
  }

  /** Removes the status line for good. */
  close(): void {
    this.setStatus(undefined)
    this.#stopResizing()
  }

  /** A crawl of thousands of hosts may have thousands of the same warning: only the first ones are written, unless a log was requested. */
  #isRepeated({ level, code }: CrawlEvent): boolean {
    if (level !== 'warning') return false
    const times = (this.#warnings.get(code) ?? 0) + 1
    this.#warnings.set(code, times)
    if (times === MAX_SAME_WARNINGS + 1)
      this.err(
        `note: further warnings of this kind (${code}) are not shown; see them all with --log-level warning or --log-file\n`,
      )
    return times > MAX_SAME_WARNINGS
  }

  #write(event: CrawlEvent, line: (event: CrawlEvent, at: number) => string): void {
    this.#above(`${line(event, this.#clock.now())}\n`, (text) => this.#terminal.err(text))
  }

  #above(text: string, write: (text: string) => void): void {
    const erasing = this.#erasing()
    if (erasing !== '') this.#terminal.err(erasing)
    write(text)
    // A part of a line: its end follows.
    if (text.endsWith('\n')) this.#redraw()
  }

  #redraw(): void {
    const erasing = this.#erasing()
    const { screenColumns } = this
    if (this.#draw === undefined || screenColumns === undefined) {
      if (erasing !== '') this.#terminal.err(erasing)
      return
    }
    // A wrapped line could not be overwritten. Terminals print ^C at its end when the user types it.
    const columns = Math.max(0, screenColumns - 1 - '^C'.length)
    const text = fitColumns(this.#draw(columns), columns)
    this.#terminal.err(`${erasing === '' ? ERASE_LINE : erasing}${text}`)
    this.#drawnColumns = textColumns(text)
  }

  /** The codes that remove the status line. After the screen got narrower, terminals wrap the line: all of its rows are removed. */
  #erasing(): string {
    if (this.#drawnColumns === 0) return ''
    const rows = Math.ceil(this.#drawnColumns / Math.max(1, this.#terminal.screenColumns ?? 1))
    this.#drawnColumns = 0
    return rows > 1 ? `\r\x1b[${rows - 1}A\x1b[J` : ERASE_LINE
  }
}

const MAX_SAME_WARNINGS = 10
const ERASE_LINE = '\r\x1b[2K'

function textEvent(text: string, isError: boolean): CrawlEvent {
  const message = (isError ? text.slice('error: '.length) : text).trim()
  return { level: isError ? 'error' : 'notice', topic: 'crawl', code: 'MESSAGE', message }
}
