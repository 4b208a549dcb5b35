import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DOUBLE, type DuckDBType, FLOAT, VARCHAR } from '@duckdb/node-api'
import { hostSql } from './new-urls.ts'
import { type Session, type StagedTable, sqlList, sqlText } from './session.ts'

export interface StagedSeedsOptions {
  /** Whether the column `line` is filled; needed if known records may change. */
  readonly keepLines: boolean
  /** Seeds per file. @default 500000 */
  readonly partRows?: number
}

/**
 * Seeds that will be written to `urls`, as the temporary relation `seeds (n, fp, host, url, score, fetch_interval, metadata, line)`; `n`
 * counts from 0 in order of arrival. A few are kept in a table; more are written to Parquet files, so that memory use stays bounded.
 */
export class StagedSeeds {
  readonly #session: Session
  readonly #folder: string
  readonly #columns: Readonly<Record<string, DuckDBType>>
  readonly #partRows: number
  readonly #files: string[] = []
  #part: StagedTable | undefined
  #rows = 0
  #total = 0

  /** @param folder for the files; `remove()` deletes it */
  constructor(session: Session, folder: string, { keepLines, partRows = 500_000 }: StagedSeedsOptions) {
    this.#session = session
    this.#folder = folder
    this.#columns = keepLines ? { ...COLUMNS, line: VARCHAR } : COLUMNS
    this.#partRows = partRows
  }

  /**
   * A seed as it would be in `urls` if it were not known. Only while there is room.
   * @param line the seed as JSON, with `keepLines`
   */
  add(url: string, score: number, fetchInterval: number, metadata: string | null, ...line: string[]): void {
    this.#part?.add(url, score, fetchInterval, metadata, ...line)
    this.#rows++
  }

  /** Call `makeRoom()` before the next `add()`. */
  get isFull(): boolean {
    return this.#part === undefined || this.#rows === this.#partRows
  }

  async makeRoom(): Promise<void> {
    if (this.#part !== undefined) await this.#writePart()
    this.#part = await this.#session.stage('seed_lines', this.#columns)
  }

  /** Ends adding and creates the relation `seeds`. */
  async close(): Promise<void> {
    if (this.#files.length === 0) {
      if (this.#part === undefined) await this.makeRoom()
      this.#part?.close()
      await this.#session.run(`CREATE TEMP TABLE seeds AS ${this.#rowsSql()}; DROP TABLE seed_lines`)
      return
    }
    if (this.#part !== undefined) await this.#writePart()
    await this.#session.run(`CREATE TEMP VIEW seeds AS SELECT * FROM read_parquet(${sqlList(this.#files)})`)
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #writePart(): Promise<void> {
    this.#part?.close()
    await mkdir(this.#folder, { recursive: true })
    const file = join(this.#folder, `${this.#files.length}.parquet`)
    await this.#session.run(
      `COPY (${this.#rowsSql()}) TO ${sqlText(file)} (FORMAT parquet, COMPRESSION lz4_raw); DROP TABLE seed_lines`,
    )
    this.#files.push(file)
    this.#total += this.#rows
    this.#rows = 0
    this.#part = undefined
  }

  #rowsSql(): string {
    return `SELECT rowid + ${this.#total} AS n, md5_number_upper(url) AS fp, ${hostSql('url')} AS host, * FROM seed_lines`
  }
}

const COLUMNS: Readonly<Record<string, DuckDBType>> = {
  url: VARCHAR,
  score: FLOAT,
  fetch_interval: DOUBLE,
  metadata: VARCHAR,
}
