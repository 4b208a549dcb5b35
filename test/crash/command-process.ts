import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AT_WORK } from './die-at-step.ts'

const RUNNER = join(import.meta.dirname, 'run-cli.ts')

export interface Ended {
  /** `null`: it was killed. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly durationMs: number
  /** Of that, the time from the lock on. */
  readonly workMs: number
}

/** The command in a process of its own, run from the sources. */
export class CommandProcess {
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''
  #workedFrom: number | undefined

  /** @param death where it kills itself, as `dieAtStep` takes it */
  constructor(args: readonly string[], death = 'never') {
    const startedAt = performance.now()
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', RUNNER, death, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A start takes half the time when the modules need not be compiled again.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'orbweaver-crash-compile-cache') },
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
      if (this.#stderr.includes(AT_WORK)) this.#workedFrom ??= performance.now()
    })
    this.ended = once(this.#child, 'close').then(([exitCode]) => ({
      exitCode,
      stdout: this.#stdout,
      stderr: this.#stderr,
      durationMs: performance.now() - startedAt,
      workMs: performance.now() - (this.#workedFrom ?? startedAt),
    }))
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get stderr(): string {
    return this.#stderr
  }

  kill(signal: 'SIGKILL' | 'SIGINT'): void {
    this.#child.kill(signal)
  }

  /** Fulfilled when `text` has come on stderr; rejected when it ended without. */
  async says(text: string | RegExp): Promise<void> {
    const isSaid = () => (typeof text === 'string' ? this.#stderr.includes(text) : text.test(this.#stderr))
    while (!isSaid()) {
      const more = this.#child.stderr === null ? this.ended : once(this.#child.stderr, 'data')
      const ended = await Promise.race([more.then(() => undefined), this.ended])
      if (ended !== undefined && !isSaid())
        throw new Error(`it ended without saying ${text}: ${ended.stderr}`)
    }
  }
}

export function runCommand(args: readonly string[]): Promise<Ended> {
  return new CommandProcess(args).ended
}
