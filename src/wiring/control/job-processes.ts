import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ControlJob } from '../../adapters/serve/control/control-schemas.ts'
import { wallClock } from '../../base/clock.ts'
import { programModule } from '../../base/program-files.ts'
import { jobLogFile, readJob, writeJob } from './job-file.ts'
import type { OperatorOptions } from './operator-options.ts'

/**
 * The processes of jobs, one per crawl. A crawl has its own process, so that a crash or a lack of memory ends only that crawl, and so that crawls continue
 * when the server is killed.
 */
export class JobProcesses {
  readonly #operator: OperatorOptions
  readonly #onFailure: (error: Error) => void
  /** By crawl directory. */
  readonly #children = new Map<string, ChildProcess>()
  readonly #endings = new Map<string, Promise<void>>()

  constructor(operator: OperatorOptions, onFailure: (error: Error) => void) {
    this.#operator = operator
    this.#onFailure = onFailure
  }

  get size(): number {
    return this.#children.size
  }

  /** Starts a job. The caller knows that none runs in the directory. */
  async start(directory: string, kind: ControlJob['kind'], limits: ControlJob['limits']): Promise<void> {
    // A process that was killed a moment ago: its end is written first.
    await this.#endings.get(directory)
    const job: ControlJob = {
      ...{ id: randomUUID(), kind, state: 'running', limits, startedAt: wallClock.now() },
    }
    await writeJob(directory, job)
    const child = await this.#spawn(directory)
    this.#children.set(directory, child)
    const ending = this.#ended(directory, job, child).catch(this.#onFailure)
    this.#endings.set(directory, ending)
  }

  /** Stops the process of a job as Ctrl-C does. Returns whether this server started one. */
  stop(directory: string): boolean {
    return this.#children.get(directory)?.kill('SIGTERM') === true
  }

  /** Stops all and waits for their end. The next start resumes them. */
  async close(): Promise<void> {
    for (const child of this.#children.values()) child.kill('SIGTERM')
    await Promise.all(this.#endings.values())
  }

  async #spawn(directory: string): Promise<ChildProcess> {
    // A file, not a pipe: the process continues to write when the server is killed.
    const log = openSync(jobLogFile(directory), 'w', 0o600)
    try {
      const child = spawn(
        process.execPath,
        [...process.execArgv, CRAWL_PROCESS, directory, JSON.stringify(this.#operator)],
        // Not in the process group of the terminal: the server decides what Ctrl-C means for a crawl.
        { stdio: ['ignore', log, log], detached: true },
      )
      await once(child, 'spawn')
      return child
    } finally {
      closeSync(log)
    }
  }

  async #ended(directory: string, job: ControlJob, child: ChildProcess): Promise<void> {
    const [exitCode, signal] =
      (child.exitCode ?? child.signalCode) !== null
        ? [child.exitCode, child.signalCode]
        : ((await once(child, 'exit')) as [number | null, NodeJS.Signals | null])
    this.#children.delete(directory)
    const last = (await readJob(directory))?.job
    const hasResult = last?.id === job.id && last.state !== 'running' && last.state !== 'interrupted'
    if (hasResult) return
    const cause = signal === null ? `with exit code ${exitCode}` : `by ${signal}`
    const message = `its process was ended ${cause}; start it again to resume`
    await writeJob(directory, {
      ...job,
      ...{ state: 'interrupted', endedAt: wallClock.now(), error: { code: 'PROCESS_ENDED', message } },
    })
  }
}

const CRAWL_PROCESS = fileURLToPath(programModule('wiring/control/crawl-process'))
