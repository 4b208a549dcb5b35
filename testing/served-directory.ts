import { run } from '../src/cli/main.ts'
import { RecordingTerminal } from './recording-terminal.ts'

/** `orbweaver serve`, in this process, on a free port. The page is that of dist/: `npm test` has built it. */
export class ServedDirectory {
  readonly url: string
  readonly #terminal: ServeTerminal
  readonly #ended: Promise<number>

  private constructor(url: string, terminal: ServeTerminal, ended: Promise<number>) {
    this.url = url
    this.#terminal = terminal
    this.#ended = ended
  }

  /** @param args directories, and more options @throws what the command said when it did not start */
  static async start(...args: readonly string[]): Promise<ServedDirectory> {
    const terminal = new ServeTerminal()
    const ended = run(['serve', ...args, '--port', '0', '--json'], terminal)
    const failed = ended.then(() => {
      throw new Error(terminal.stderr)
    })
    const { url } = JSON.parse(await Promise.race([terminal.told.promise, failed])) as { url: string }
    failed.catch(() => {})
    return new ServedDirectory(url, terminal, ended)
  }

  /** As Ctrl-C does. Returns the exit code. */
  stop(): Promise<number> {
    this.#terminal.interrupt()
    return this.#ended
  }
}

class ServeTerminal extends RecordingTerminal {
  readonly told = Promise.withResolvers<string>()

  override out(text: string): void {
    super.out(text)
    this.told.resolve(text)
  }
}
