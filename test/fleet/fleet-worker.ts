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

/** `orbweaver` in a process of its own: it can be killed, and made to stand still. */
export class FleetWorker {
  readonly ended: Promise<WorkerEnd>
  readonly #child: ChildProcess
  #isStopped = false
  #isOver = false
  #stdout = ''
  #stderr = ''

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // A start takes half the time when the modules need not be compiled again.
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
      this.#isOver = true
      return { exitCode: exitCode as number | null, stdout: this.#stdout, stderr: this.#stderr }
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Neither over nor standing still. */
  get isRunning(): boolean {
    return !this.#isOver && !this.#isStopped
  }

  /** As by Ctrl-C. */
  interrupt(): void {
    this.#child.kill('SIGINT')
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  standStill(): void {
    this.#isStopped = true
    this.#child.kill('SIGSTOP')
  }

  goOn(): void {
    this.#isStopped = false
    this.#child.kill('SIGCONT')
  }
}
