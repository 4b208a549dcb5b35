import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type REPLServer, start } from 'node:repl'
import { Readable, Writable } from 'node:stream'
import { ReadStream } from 'node:tty'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { privateNames } from '../adapters/http/private-names.ts'
import { CrawlError } from '../base/crawl-error.ts'
import { printableLines } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { usableUrl } from './option-values.ts'
import { PageFetcher } from './page-fetcher.ts'
import {
  addInspectors,
  errorText,
  evaluate,
  jsonValue,
  type ShellScope,
  shellScope,
  valueText,
  viewText,
} from './shell-scope.ts'
import type { Terminal } from './terminal.ts'
import { type WebFlags, webConfig } from './web-flags.ts'

export interface ShellFlags extends WebFlags {
  readonly eval?: string
  readonly history?: string
  readonly json: boolean
}

const NAMES = `page, css(selector), xpath(expression), view(), and await fetch(url), which fetches another page as the new \`page\``

/** Fetches a page, and opens a prompt or prints the value of `eval`. */
export async function runShell(input: string, flags: ShellFlags, terminal: Terminal): Promise<void> {
  const url = usableUrl(input)
  const fetcher = await openFetcher(url, flags, terminal)
  const stop = (): void => void fetcher.close()
  terminal.interrupted.addEventListener('abort', stop)
  try {
    // With --json, standard output is for the value alone.
    const show = (text: string) => (flags.json ? terminal.err(text) : terminal.out(text))
    const scope = shellScope(await fetcher.fetchPage(url), fetcher, show)
    addInspectors()
    if (flags.eval === undefined) await openPrompt(scope, terminal, { names: NAMES, ...flags })
    else terminal.out(await evaluated(flags.eval, scope, flags.json, terminal))
  } finally {
    terminal.interrupted.removeEventListener('abort', stop)
    await fetcher.close()
  }
}

async function openFetcher(url: string, flags: ShellFlags, terminal: Terminal): Promise<PageFetcher> {
  const settings = await loadSettings(
    settingsSource({
      ...withoutUndefined({ named: flags.config }),
      currentDirectory: process.cwd(),
      env: process.env,
      flags: webConfig(flags),
    }),
  )
  return new PageFetcher(settings, {
    named: url,
    privateNames: await privateNames([hostOf(url)]),
    onWarning: (message) => terminal.err(`warning: ${message} (--contact, --email)\n`),
  })
}

/**
 * The code of `orbweaver shell --eval` threw an error, or is invalid.
 * Remedy: Fix the code.
 */
class EvaluationFailed extends CrawlError {
  readonly code = 'EVALUATION_FAILED'
  readonly retryable = false
}

async function evaluated(
  code: string,
  scope: ShellScope,
  json: boolean,
  { columns }: Terminal,
): Promise<string> {
  let value: unknown
  try {
    value = await evaluate(code, scope)
  } catch (cause) {
    throw new EvaluationFailed(errorText(cause), { cause })
  }
  if (json) return `${JSON.stringify(value, jsonValue, 2) ?? 'null'}\n`
  if (value === undefined) return ''
  if (typeof value !== 'string') return `${valueText(value)}\n`
  // Unchanged for a pipe; without control characters on a terminal.
  return `${columns === undefined ? value : printableLines(value)}\n`
}

interface PromptOptions {
  /** Description of the names in scope. */
  readonly names: string
  /** File for the history. @default none */
  readonly history?: string
}

/** Evaluates lines from a terminal or from standard input until the end of input. */
async function openPrompt(
  scope: ShellScope,
  terminal: Terminal,
  { names, history }: PromptOptions,
): Promise<void> {
  const options = { ignoreUndefined: true, writer: valueText }
  if (terminal.input instanceof ReadStream) {
    terminal.out(`${viewText(scope.page)}\n${names}; .exit to quit\n`)
    const server = start({ ...options, input: terminal.input, output: process.stdout, prompt: 'orbweaver> ' })
    addNames(server, scope)
    if (history !== undefined) await keepHistory(server, history)
    await once(server, 'exit')
  } else {
    const lines = new SequentialLines(terminal.input)
    const input = Readable.from(lines)
    const server = start({ ...options, input, output: outputOf(terminal), prompt: '', terminal: false })
    server.displayPrompt = () => lines.next()
    addNames(server, scope)
    await once(server, 'exit')
  }
}

/** Passes on each line after the previous one has been evaluated. */
class SequentialLines implements AsyncIterable<string> {
  readonly #input: AsyncIterable<Uint8Array>
  #ready = Promise.withResolvers<void>()

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#input = input
    this.next()
  }

  next(): void {
    this.#ready.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const line of createInterface({ input: Readable.from(this.#input) })) {
      await this.#ready.promise
      this.#ready = Promise.withResolvers()
      yield `${line}\n`
    }
    await this.#ready.promise
  }
}

/** Adds the names to the context, and again after `.clear`. */
function addNames(server: REPLServer, scope: ShellScope): void {
  const names = Object.getOwnPropertyDescriptors(scope)
  Object.defineProperties(server.context, names)
  server.on('reset', (context) => Object.defineProperties(context, names))
}

function keepHistory(server: REPLServer, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.setupHistory(file, (error) => (error === null ? resolve() : reject(error)))
  })
}

function outputOf(terminal: Terminal): Writable {
  return new Writable({
    write(text, _encoding, done) {
      terminal.out(String(text))
      done()
    },
  })
}
