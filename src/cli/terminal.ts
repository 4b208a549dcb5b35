import { once } from 'node:events'

/** Input and output of a command. Tests have their own. */
export interface Terminal {
  /** Results. With `--json`, exactly one document. */
  out(text: string): void
  /** Resolves when `out` can take more; awaited between the parts of a long result. */
  outRoom(): Promise<void>
  /** Logs, progress, errors. */
  err(text: string): void
  /** Standard input, for the argument `-`. */
  readonly input: AsyncIterable<Uint8Array>
  /** Width in columns of the terminal that `err` writes to; `undefined` if it is not a terminal. */
  readonly screenColumns: number | undefined
  /** Width in columns of the terminal that `out` writes to; `undefined` for a file or a pipe. */
  readonly columns: number | undefined
  /** Calls `listener` when the width of the screen changes. Returns a function that stops it. Absent: it never does. */
  onResize?(listener: () => void): () => void
  /** Aborted by Ctrl-C, and by SIGTERM: `docker stop`, Kubernetes, a service manager. */
  readonly interrupted: AbortSignal
  /** How the user started the program, for commands to copy: `npx orbweaver`. @default 'orbweaver' */
  readonly program?: string | undefined
  /** For a command that continues after it has printed its JSON document: prints it now. */
  release?(): void
}

/**
 * The streams of the process. The first Ctrl-C or SIGTERM stops the command; the second one kills the process. A command that only reads does
 * not use `interrupted`: the first one kills its process.
 */
export function processTerminal(): Terminal {
  const interruption = new AbortController()
  let stopsItself = false
  const stop = (signal: NodeJS.Signals) => {
    interruption.abort()
    setTimeout(() => {
      // `process.exit` would wait for the query that a thread of DuckDB runs.
      if (!stopsItself) process.kill(process.pid, signal)
    }, START_MS).unref()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  // A closed pipe (`| head`) is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  // Progress is no longer read: the command continues.
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
    onResize(listener) {
      process.stderr.on('resize', listener)
      return () => process.stderr.off('resize', listener)
    },
    get interrupted() {
      stopsItself = true
      return interruption.signal
    },
    program: /^orbweaver(?:\s|$)/.test(process.env['npm_lifecycle_script'] ?? '')
      ? 'npx orbweaver'
      : 'orbweaver',
  }
}

/** A command that stops itself may still be opening its crawl. */
const START_MS = 1000
