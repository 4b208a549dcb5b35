import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBPreparedStatement,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api'
import { Interrupted } from '../../base/interrupted.ts'

/** One connection to a database. Temporary tables exist until it is closed. */
export class Session {
  readonly #open: DuckDBConnection
  #begun = false
  #isInterrupted = false

  constructor(connection: DuckDBConnection) {
    this.#open = connection
  }

  /**
   * From here on all that happens to the database happens together, or not at all. What comes before is preparation in temporary tables:
   * DuckDB works on a table with several threads only once it is committed, and these are at once.
   */
  async begin(): Promise<void> {
    if (this.#begun) return
    await this.run('BEGIN')
    this.#begun = true
  }

  async commit(): Promise<void> {
    if (this.#begun) await this.run('COMMIT')
    this.#begun = false
  }

  /** Runs statements; returns the number of rows the last one changed. Without values they need not be prepared first. */
  async run(sql: string, values?: DuckDBValue[]): Promise<number> {
    return (await this.#connection.run(sql, values)).rowsChanged
  }

  /** All rows. The type `Row` is not checked. */
  async all<Row>(sql: string, values?: DuckDBValue[]): Promise<Row[]> {
    const reader = await this.#connection.runAndReadAll(sql, values)
    return reader.getRowObjectsJS() as Row[]
  }

  /** The row of a statement that always returns one. */
  async one<Row>(sql: string, values?: DuckDBValue[]): Promise<Row> {
    const [row] = await this.all<Row>(sql, values)
    if (row === undefined) throw new Error(`no row: ${sql}`)
    return row
  }

  /** Streams rows in batches of some thousands. Nothing else may run on this session meanwhile. */
  async *stream<Row>(sql: string, values?: DuckDBValue[]): AsyncGenerator<Row[]> {
    const result = await this.#connection.stream(sql, values)
    let isOpen = true
    try {
      for await (const rows of result.yieldRowObjectJs()) yield rows as Row[]
      isOpen = false
    } finally {
      if (isOpen) await this.#endStream()
    }
  }

  /**
   * The rows of a temporary table that was only ever added to, in its order, two thousand at a time: memory is bounded, other statements
   * may run in between, and so may whatever else waits for the main thread. All columns are numbers and text.
   */
  async *batches<Row>(table: string): AsyncGenerator<Row[]> {
    const { first, last } = await this.one<{ first: bigint | null; last: bigint | null }>(
      `SELECT min(rowid) AS first, max(rowid) AS last FROM ${table}`,
    )
    if (first === null || last === null) return
    // Numbered without gaps, but from anywhere: rows of an open transaction have very large numbers.
    for (let from = first; from <= last; from += BATCH_ROWS) {
      yield* this.#flatRows<Row>(
        `SELECT * FROM ${table} WHERE rowid >= ${from} AND rowid < ${from + BATCH_ROWS} ORDER BY rowid`,
      )
    }
  }

  /** Streams the columns of a query, all of numbers that are not NULL, some thousand rows at a time. Nothing else may run on this session meanwhile. */
  async *streamNumbers(sql: string): AsyncGenerator<readonly (readonly number[])[]> {
    const result = await this.#connection.stream(sql)
    const columns = result.columnCount
    let isOpen = true
    try {
      for await (const chunk of result)
        yield Array.from({ length: columns }, (_, j) => chunk.getColumnValues(j) as number[])
      isOpen = false
    } finally {
      if (isOpen) await this.#endStream()
    }
  }

  /** A query that is not read to its end keeps its memory until the garbage collector finds it, or another one starts. */
  async #endStream(): Promise<void> {
    await this.#open.run('SELECT 1').catch(() => {})
  }

  /** Reads column by column, which takes half the time of reading row by row. */
  async *#flatRows<Row>(sql: string): AsyncGenerator<Row[]> {
    const result = await this.#connection.run(sql)
    const names = result.columnNames()
    for await (const chunk of result) {
      const columns: (readonly DuckDBValue[])[] = []
      for (let j = 0; j < names.length; j++) {
        columns.push(chunk.getColumnValues(j))
        if (j % COLUMNS_AT_ONCE === COLUMNS_AT_ONCE - 1) await nextTurn()
      }
      const rows: Record<string, DuckDBValue>[] = []
      for (let i = 0; i < chunk.rowCount; i++) {
        const row: Record<string, DuckDBValue> = {}
        for (let j = 0; j < names.length; j++) row[names[j] ?? ''] = columns[j]?.[i] ?? null
        rows.push(row)
      }
      // To read them took about as long as what will be done with them.
      await nextTurn()
      yield rows as Row[]
    }
  }

  prepare(sql: string): Promise<DuckDBPreparedStatement> {
    return this.#connection.prepare(sql)
  }

  /** Number of statements in `sql`. */
  async countStatements(sql: string): Promise<number> {
    return (await this.#connection.extractStatements(sql)).count
  }

  /** Creates a temporary table and opens it for appending. */
  async stage(table: string, columns: Readonly<Record<string, DuckDBType>>): Promise<StagedTable> {
    const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
    await this.run(`CREATE TEMP TABLE ${table} (${list.join(', ')})`)
    const appender = await this.#connection.createAppender(table, null, 'temp')
    return new StagedTable(Object.values(columns), {
      append: (chunk) => appender.appendDataChunk(chunk),
      close: () => appender.closeSync(),
    })
  }

  /** Ends the statement that runs now with an error. Every later one fails, too. */
  interrupt(): void {
    this.#isInterrupted = true
    this.#open.interrupt()
  }

  close(): void {
    this.#open.disconnectSync()
  }

  /** For the next statement. @throws Interrupted after `interrupt()` */
  get #connection(): DuckDBConnection {
    if (this.#isInterrupted) throw new Interrupted()
    return this.#open
  }
}

/** Appends rows to a temporary table; they are visible after `close`. */
export class StagedTable {
  readonly #types: readonly DuckDBType[]
  readonly #columns: DuckDBValue[][]
  readonly #sink: { append(chunk: DuckDBDataChunk): void; close(): void }
  #rows = 0

  constructor(types: readonly DuckDBType[], sink: { append(chunk: DuckDBDataChunk): void; close(): void }) {
    this.#types = types
    this.#columns = types.map(() => [])
    this.#sink = sink
  }

  /** One value for each column. */
  add(...values: DuckDBValue[]): void {
    for (let i = 0; i < values.length; i++) this.#columns[i]?.push(values[i] ?? null)
    if (++this.#rows === CHUNK_ROWS) this.#flush()
  }

  close(): void {
    this.#flush()
    this.#sink.close()
  }

  #flush(): void {
    if (this.#rows === 0) return
    const chunk = DuckDBDataChunk.create(this.#types, this.#rows)
    chunk.setColumns(this.#columns)
    this.#sink.append(chunk)
    for (const column of this.#columns) column.length = 0
    this.#rows = 0
  }
}

/** Maximum rows of a DuckDB chunk. */
const CHUNK_ROWS = 2048
/** Rows per query of `batches`: a multiple of the chunk size. */
const BATCH_ROWS = BigInt(10 * CHUNK_ROWS)
/** Columns converted at a time. All columns of a wide table at once would block the main thread for 50 ms. */
const COLUMNS_AT_ONCE = 8

/** A string literal, for values that cannot be parameters, such as file names in COPY and read_parquet. */
export function sqlText(text: string): string {
  const literal = `'${text.replaceAll("'", "''")}'`
  // DuckDB reads a statement up to its first NUL.
  return text.includes('\0') ? `(${literal.replaceAll('\0', "' || chr(0) || '")})` : literal
}

/** A quoted identifier. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A list of string literals. */
export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`
}
