import { once } from 'node:events'

/** Where a command's words go. Tests hand in their own. */
export interface Terminal {
  /** Results. With `--json`, exactly one document. */
  out(text: string): void
  /** Fulfilled when `out` has room for more: to be awaited between pieces of a result that may be of any length. */
  outRoom(): Promise<void>
  /** Logs, progress, errors. */
  err(text: string): void
  /** What is piped in, for arguments that are `-`. */
  readonly input: AsyncIterable<Uint8Array>
  /** Width in columns of the screen that `err` goes to, where a line may be written over; `undefined` when it goes elsewhere. */
  readonly screenColumns: number | undefined
  /** Width of the results' terminal in columns; `undefined` when they go to a file or a pipe. */
  readonly columns: number | undefined
  /** Ends when the user wants to stop (Ctrl-C). */
  readonly interrupted: AbortSignal
}

/** The process's own streams. The first Ctrl-C asks the command to end; a second one ends the process at once. */
export function processTerminal(): Terminal {
  const interruption = new AbortController()
  process.once('SIGINT', () => interruption.abort())
  process.once('SIGTERM', () => interruption.abort())
  // A reader that closed the pipe (`| head`) has had enough: that is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  // Nobody reads the progress any more: the work goes on.
  process.stderr.on('error', () => {})
  return {
    out: (text) => process.stdout.write(text),
    async outRoom() {
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
    },
    err: (text) => process.stderr.write(text),
    input: process.stdin,
    get screenColumns() {
      return process.stderr.isTTY ? process.stderr.columns : undefined
    },
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    interrupted: interruption.signal,
  }
}
