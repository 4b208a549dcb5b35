import { DuckDBInstance } from '@duckdb/node-api'
import { explainFailure } from './explain-failure.ts'
import { Session } from './session.ts'

/** An open database file. */
export class Database {
  readonly #instance: DuckDBInstance
  readonly #directory: string
  /** Settles when the last requested change has ended. */
  #lastChange: Promise<unknown> = Promise.resolve()

  constructor(instance: DuckDBInstance, directory: string) {
    this.#instance = instance
    this.#directory = directory
  }

  static async open(file: string, options: Record<string, string>, directory: string): Promise<Database> {
    return new Database(await DuckDBInstance.create(file, options), directory)
  }

  /** Runs `work` after all earlier changes and commits its changes since `session.begin()`. If it fails, everything is rolled back. */
  change<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const change = this.#lastChange.then(() => this.#prepareAndCommit(work))
    this.#lastChange = change.catch(() => undefined)
    return change
  }

  /** Runs `work` on a snapshot of the present state. */
  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#connect()
    try {
      await session.run('BEGIN TRANSACTION READ ONLY')
      return await work(session)
    } catch (error) {
      throw await explainFailure(error, this.#directory)
    } finally {
      session.close()
    }
  }

  /** The same for streamed rows. The snapshot is kept until the caller has read all rows or stops. */
  async *stream<T>(work: (session: Session) => AsyncGenerator<T>): AsyncGenerator<T> {
    const session = await this.#connect()
    try {
      await session.run('BEGIN TRANSACTION READ ONLY')
      yield* work(session)
    } catch (error) {
      throw await explainFailure(error, this.#directory)
    } finally {
      session.close()
    }
  }

  /** Waits for pending changes. */
  async close(): Promise<void> {
    await this.#lastChange
    this.#instance.closeSync()
  }

  async #prepareAndCommit<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#connect()
    try {
      const result = await work(session)
      await session.commit()
      return result
    } catch (error) {
      throw await explainFailure(error, this.#directory)
    } finally {
      // Ends a transaction that failed, and drops its temporary tables.
      session.close()
    }
  }

  async #connect(): Promise<Session> {
    return new Session(await this.#instance.connect())
  }
}
