import { DuckDBInstance } from '@duckdb/node-api'
import { explainFailure } from './explain-failure.ts'
import { Session } from './session.ts'

/** An open database file. */
export class Database {
  readonly #instance: DuckDBInstance
  readonly #directory: string
  /** The end of the last change that was requested. */
  #lastChange: Promise<unknown> = Promise.resolve()

  constructor(instance: DuckDBInstance, directory: string) {
    this.#instance = instance
    this.#directory = directory
  }

  static async open(file: string, options: Record<string, string>, directory: string): Promise<Database> {
    return new Database(await DuckDBInstance.create(file, options), directory)
  }

  /** Runs `work`, after those asked for before, and commits what it did after `session.begin()`. When it fails, nothing has happened. */
  change<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const change = this.#lastChange.then(() => this.#prepareAndCommit(work))
    this.#lastChange = change.catch(() => undefined)
    return change
  }

  /** Runs `work` on the state of this moment. */
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

  /** The same for rows that are read as they come. The state is held until the caller has read to the end, or stops. */
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

  /** Waits for the changes under way. */
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
