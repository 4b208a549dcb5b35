import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, '../../testing/orbweaver-process.ts')

/** How a process ended. `exitCode` is `null` when it was killed. */
export interface WorkerEnd {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `orbweaver` in its own process, which can be killed and suspended. */
export class FleetWorker {
  readonly ended: Promise<WorkerEnd>
  readonly #child: ChildProcess
  #isSuspended = false
  #hasExited = false
  #stdout = ''
  #stderr = ''

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Halves the start time.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'orbweaver-fleet-compile-cache') },
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    const killNow = () => this.#child.kill('SIGKILL')
    process.once('exit', killNow)
    this.ended = once(this.#child, 'close').then(([exitCode]) => {
      process.off('exit', killNow)
      this.#hasExited = true
      return { exitCode: exitCode as number | null, stdout: this.#stdout, stderr: this.#stderr }
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Neither exited nor suspended. */
  get isRunning(): boolean {
    return !this.#hasExited && !this.#isSuspended
  }

  /** Like Ctrl-C, or as service managers do with SIGTERM. */
  interrupt(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): void {
    this.#child.kill(signal)
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  suspend(): void {
    this.#isSuspended = true
    this.#child.kill('SIGSTOP')
  }

  resume(): void {
    this.#isSuspended = false
    this.#child.kill('SIGCONT')
  }
}
