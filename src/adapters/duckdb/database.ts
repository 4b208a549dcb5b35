import type { DuckDBInstance } from '@duckdb/node-api'
import { explainFailure } from './explain-failure.ts'
import { explainInterruption, interruptOn } from './interrupt-on.ts'
import { openInstance } from './open-instance.ts'
import { Session, sqlText } from './session.ts'

/** An open database file. */
export class Database {
  readonly #instance: DuckDBInstance
  readonly #directory: string
  readonly #signal: AbortSignal | undefined
  readonly #memoryLimit: string | undefined
  /** Settles when the last requested change has ended. */
  #lastChange: Promise<unknown> = Promise.resolve()

  private constructor(
    instance: DuckDBInstance,
    directory: string,
    { signal, memoryLimit }: { signal?: AbortSignal; memoryLimit?: string | undefined },
  ) {
    this.#instance = instance
    this.#directory = directory
    this.#signal = signal
    this.#memoryLimit = memoryLimit
  }

  /** The same database, only for reading: queries are interrupted when `signal` is aborted. */
  interruptedBy(signal: AbortSignal): Database {
    return new Database(this.#instance, this.#directory, { signal })
  }

  static async open(file: string, options: Record<string, string>, directory: string): Promise<Database> {
    return new Database(await openInstance(file, options), directory, {
      memoryLimit: options['memory_limit'],
    })
  }

  /**
   * Runs `work` after all earlier changes and commits its changes since `session.begin()`. If it fails, everything is rolled back.
   * @param signal interrupts the statement that runs, unless `work` has ended
   * @throws Interrupted, after `signal`
   */
  change<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const change = this.#lastChange.then(() => this.#prepareAndCommit(work, signal))
    this.#lastChange = change.catch(() => undefined)
    return change
  }

  /** Runs `work` on a snapshot of the present state. */
  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.connect()
    const interruption = interruptOn(this.#signal, session)
    try {
      await session.run('BEGIN TRANSACTION READ ONLY')
      const result = await work(session)
      // Rows that are streamed may end without an error when they are interrupted.
      this.#signal?.throwIfAborted()
      return result
    } catch (error) {
      throw this.#signal?.aborted ? this.#signal.reason : await explainFailure(error, this.#directory)
    } finally {
      interruption?.end()
      session.close()
    }
  }

  /** The same for streamed rows. The snapshot is kept until the caller has read all rows or stops. */
  async *stream<T>(work: (session: Session) => AsyncGenerator<T>): AsyncGenerator<T> {
    const session = await this.connect()
    const interruption = interruptOn(this.#signal, session)
    try {
      await session.run('BEGIN TRANSACTION READ ONLY')
      yield* work(session)
      this.#signal?.throwIfAborted()
    } catch (error) {
      throw this.#signal?.aborted ? this.#signal.reason : await explainFailure(error, this.#directory)
    } finally {
      interruption?.end()
      session.close()
    }
  }

  /**
   * Returns memory that was freed to the operating system: that of DuckDB, and all that the process has from `malloc`. Both allocators keep
   * it in the arena of each thread. DuckDB returns it when its memory limit is set, also to the limit that it has. It takes up to 40 ms.
   */
  async releaseFreedMemory(): Promise<void> {
    if (this.#memoryLimit === undefined) return
    const session = await this.connect()
    try {
      await session.run(`SET memory_limit = ${sqlText(this.#memoryLimit)}`)
    } catch {
      // More is in use than the limit allows: there is nothing to return.
    } finally {
      session.close()
    }
  }

  /** A connection without a transaction. Close it. */
  async connect(): Promise<Session> {
    return new Session(await this.#instance.connect())
  }

  /** Waits for pending changes. */
  async close(): Promise<void> {
    await this.#lastChange
    this.#instance.closeSync()
  }

  async #prepareAndCommit<T>(
    work: (session: Session) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const session = await this.connect()
    let interruption: { end(): void } | undefined
    try {
      interruption = interruptOn(signal, session)
      const result = await work(session)
      interruption?.end()
      await session.commit()
      return result
    } catch (error) {
      throw explainInterruption(await explainFailure(error, this.#directory), signal)
    } finally {
      interruption?.end()
      // Ends a transaction that failed, and drops its temporary tables.
      session.close()
    }
  }
}
