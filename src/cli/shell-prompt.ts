import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type REPLServer, start } from 'node:repl'
import { Readable, Writable } from 'node:stream'
import { ReadStream } from 'node:tty'
import type { ShellScope } from './shell-scope.ts'
import { valueText, viewText } from './shell-value.ts'
import type { Terminal } from './terminal.ts'

export interface PromptOptions {
  /** Told to who types: what has a name. */
  readonly names: string
  /** Where what is typed is kept. @default nowhere */
  readonly history?: string
}

/** Evaluates lines until there are no more: typed at a terminal, or piped in. */
export async function openPrompt(
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

/** Again after `.clear`, which forgets them. */
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
