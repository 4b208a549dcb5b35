import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Run } from './run-orbweaver.ts'

/** The built command in a process of its own, for tests that send it signals. `npm test` builds dist/ before. */
export class StartedOrbweaver {
  readonly ended: Promise<Run>
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''

  /**
   * @param variables of the environment, added to those of the test
   * @param input whether standard input is open, for `write`
   */
  constructor(
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
    { input = false } = {},
  ) {
    const program = join(import.meta.dirname, '../bin/orbweaver.js')
    this.#child = spawn(process.execPath, [program, ...args], {
      stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...variables },
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.ended = once(this.#child, 'close').then(([exitCode]) => ({
      ...{ exitCode, stdout: this.#stdout, stderr: this.#stderr },
    }))
  }

  /** Writes to standard input; resolves when the program has read all but what fits in a pipe. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#child.stdin?.write(text, () => resolve()))
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Fulfilled with the match when standard error has this text; rejected when the process ends without it. */
  async says(text: string | RegExp): Promise<readonly string[]> {
    for (;;) {
      const found = typeof text === 'string' ? this.#stderr.includes(text) && [text] : text.exec(this.#stderr)
      if (found) return found
      const more = this.#child.stderr === null ? this.ended : once(this.#child.stderr, 'data')
      const run = await Promise.race([more.then(() => undefined), this.ended])
      if (run !== undefined) throw new Error(`it ended without "${text}": ${run.stderr}`)
    }
  }
}
