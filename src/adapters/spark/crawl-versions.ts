import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { DropCounts } from '../../base/drop-counts.ts'
import { DatabaseUnreadable } from '../crawl-directory/crawl-directory-error.ts'
import {
  castColumns,
  ddl,
  PUBLIC_VIEW,
  sparkText,
  TABLE_NAMES,
  TABLES,
  type TableName,
} from './crawl-tables.ts'
import type { SparkSession } from './spark-session.ts'

/** A segment that the CrawlDb knows. */
export interface KnownSegment {
  readonly name: string
  readonly createdAt: number
  readonly urls: number
  readonly state: 'generated' | 'updated' | 'abandoned'
}

/** The content of `current.json`: the version that counts. Small tables are a part of it. */
export interface CrawlVersion {
  readonly version: number
  /** Number of files that `urls` is divided into, by host. Never changes. */
  readonly buckets: number
  /** Folder of each table, below `versions/`; absent: it is empty. */
  readonly tables: Readonly<Partial<Record<TableName, string>>>
  readonly segments: readonly KnownSegment[]
  readonly drops: DropCounts
  readonly unfinishedIndexes: readonly string[]
  /** Folders of the versions before, the newest first: kept for readers. */
  readonly earlier: ReadonlyArray<readonly string[]>
}

export interface VersionsOptions {
  /** Number of files of `urls` in a new CrawlDb. @default 32 */
  readonly buckets?: number
  /** Number of versions that are kept, the current one included. @default 2 */
  readonly keepVersions?: number
}

/**
 * The tables of a CrawlDb as Parquet files, in versions. A change writes the tables that change to a new folder, and then replaces
 * `current.json` in one atomic step. Until then the old version counts; folders that it does not name are deleted before the next change.
 */
export class CrawlVersions {
  readonly #session: SparkSession
  /** A URI without a slash at its end. */
  readonly #location: string
  readonly #keep: number
  /** Identifies the Spark session with the views of this CrawlDb. */
  readonly db = randomUUID().replaceAll('-', '')
  #current: CrawlVersion
  #lastChange: Promise<unknown> = Promise.resolve()
  #steps = 0
  /** Queries whose rows are being read. */
  #streams = 0

  private constructor(session: SparkSession, location: string, current: CrawlVersion, keep: number) {
    this.#session = session
    this.#location = location
    this.#current = current
    this.#keep = keep
  }

  /** Opens the CrawlDb at `location` (a URI), which is empty if there is none. @throws DatabaseUnreadable */
  static async open(
    session: SparkSession,
    location: string,
    { buckets = 32, keepVersions = 2 }: VersionsOptions = {},
  ): Promise<CrawlVersions> {
    const text = await session.request<string | null>('read_file', { path: `${location}/current.json` })
    const current = text === null ? { ...EMPTY, buckets } : parseVersion(text, location)
    const versions = new CrawlVersions(session, location, current, keepVersions)
    await versions.run(`SET spark.sql.shuffle.partitions=${current.buckets}`)
    await versions.#showTables(TABLE_NAMES)
    return versions
  }

  get current(): CrawlVersion {
    return this.#current
  }

  get spark(): SparkSession {
    return this.#session
  }

  /** A suffix for names of files and tables that no process has used: a driver that was given up may still write for some seconds. */
  nextStep(): string {
    return `_${this.db.slice(0, 8)}_${this.#steps++}`
  }

  run(...statements: string[]): Promise<void> {
    return this.#session.request('run', { db: this.db, statements })
  }

  /** All rows of a query. The type `Row` is not checked. */
  async all<Row>(sql: string): Promise<Row[]> {
    const rows: Row[] = []
    for await (const batch of this.#session.rows<Row>({ db: this.db, sql }))
      for (const row of batch) rows.push(row)
    return rows
  }

  /** The row of a query that always returns one. */
  async one<Row>(sql: string): Promise<Row> {
    const [row] = await this.all<Row>(sql)
    if (row === undefined) throw new Error(`no row: ${sql}`)
    return row
  }

  /** The rows of a query, in batches and in its order. Its files are kept until all rows are read. */
  async *stream<Row>(sql: string): AsyncGenerator<Row[]> {
    this.#streams++
    try {
      yield* this.#session.rows<Row>({ db: this.db, sql, many: true })
    } finally {
      this.#streams--
    }
  }

  /**
   * Creates the temporary view `name` of Parquet files on the disk: their columns, `file` and `file_row`.
   * @param columns those that older files may not have, or that are needed if there are no files
   */
  async viewFiles(
    name: string,
    files: readonly string[],
    columns: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (files.length > 0) {
      await this.#session.request('parquet', { db: this.db, name, files: files.map(fileUri), columns })
      return
    }
    const none = Object.entries({ ...columns, file: 'STRING', file_row: 'BIGINT' })
    const empty = none.map(([column, type]) => `CAST(NULL AS ${type}) AS ${column}`)
    await this.run(`CREATE OR REPLACE TEMP VIEW ${name} AS SELECT ${empty.join(', ')} WHERE false`)
  }

  /** Creates the temporary view `name` of `rows`. */
  async viewRows(
    name: string,
    columns: Readonly<Record<string, string>>,
    rows: ReadonlyArray<readonly unknown[]>,
  ): Promise<void> {
    await this.#session.request('values', { db: this.db, name, schema: ddl(columns), rows })
  }

  /** Runs `work` after all earlier changes, and installs what it has written. If it fails, nothing changes. */
  change<T>(work: (next: NextVersion) => Promise<T>): Promise<T> {
    const change = this.#lastChange.then(() => this.#change(work))
    this.#lastChange = change.catch(() => undefined)
    return change
  }

  async close(): Promise<void> {
    await this.#lastChange
    await this.#session.request('close', { db: this.db }).catch(() => undefined)
  }

  async #change<T>(work: (next: NextVersion) => Promise<T>): Promise<T> {
    await this.#deleteUnused()
    const next = new NextVersion(this, this.#location)
    try {
      const result = await work(next)
      await this.#install(next)
      await this.#session.request('delete', { paths: next.leftovers })
      return result
    } catch (error) {
      // The views of this step must not be seen by the next one. A driver that is gone has none.
      await this.#showTables(TABLE_NAMES).catch(() => undefined)
      throw error
    }
  }

  async #install(next: NextVersion): Promise<void> {
    const version = next.result()
    if (version === undefined) return
    const old = Object.values(this.#current.tables)
    const current = {
      ...version,
      earlier: [old, ...this.#current.earlier].slice(0, Math.max(0, this.#keep - 1)),
    }
    const sync = next.written.map((table) => `${this.#location}/versions/${current.tables[table]}`)
    await this.#session.request('make_folder', { path: this.#location })
    await this.#session.request('replace_file', {
      path: `${this.#location}/current.json`,
      text: `${JSON.stringify({ format: FORMAT, ...current }, undefined, 2)}\n`,
      sync,
    })
    this.#current = current
    await this.#showTables(next.written)
  }

  /** Deletes folders of versions that are not named by the current one: of killed steps, and too old ones. */
  async #deleteUnused(): Promise<void> {
    if (this.#streams > 0) return
    const { tables, earlier } = this.#current
    const used = new Set([...Object.values(tables), ...earlier.flat()].map((path) => path.split('/')[0]))
    const folder = `${this.#location}/versions`
    const present = await this.#session.request<string[]>('list', { path: folder })
    const unused = present.filter((name) => !used.has(name)).map((name) => `${folder}/${name}`)
    if (unused.length > 0) await this.#session.request('delete', { paths: unused })
  }

  async #showTables(names: readonly TableName[]): Promise<void> {
    const statements = names.flatMap((name) => this.tableStatements(name, name, this.#current.tables[name]))
    if (statements.length > 0)
      await this.run(...statements, `CREATE OR REPLACE TEMP VIEW crawldb AS ${PUBLIC_VIEW}`)
  }

  /** Creates views of the small tables, which are a part of `current.json`. */
  async showSmallTables(): Promise<void> {
    const { segments, drops, unfinishedIndexes } = this.#current
    await this.run(
      jsonView(
        'segments',
        'name STRING, created_at BIGINT, urls BIGINT, state STRING',
        segments.map((segment) => ({ ...segment, created_at: segment.createdAt })),
      ),
      jsonView(
        'drops',
        'reason STRING, drops BIGINT',
        Object.entries(drops).map(([reason, count]) => ({ reason, drops: count })),
      ),
      jsonView(
        'unfinished_indexes',
        'target STRING',
        unfinishedIndexes.map((target) => ({ target })),
      ),
    )
  }

  /** Creates the view `view` of the files of a table. */
  tableStatements(view: string, table: TableName, folder: string | undefined): string[] {
    if (folder === undefined)
      return [`CREATE OR REPLACE TEMP VIEW ${view} AS SELECT ${castColumns(table, nulls(table))} WHERE false`]
    const name = `t_${this.db}_${folder.replaceAll(/\W/g, '_')}`
    const buckets = table === 'urls' ? `CLUSTERED BY (host) INTO ${this.#current.buckets} BUCKETS` : ''
    return [
      `CREATE TABLE IF NOT EXISTS ${name} (${ddl(TABLES[table])}) USING parquet ${buckets} LOCATION ${sparkText(`${this.#location}/versions/${folder}`)}`,
      `CREATE OR REPLACE TEMP VIEW ${view} AS SELECT * FROM ${name}`,
    ]
  }
}

/** A version that is being written. */
export class NextVersion {
  /** Tables that were written. */
  readonly written: TableName[] = []
  readonly #versions: CrawlVersions
  readonly #location: string
  readonly #number: string
  /** Folders of tables that this step has written twice. */
  readonly #replaced: string[] = []
  #state: Partial<CrawlVersion> = {}
  #tables: Partial<Record<TableName, string>> = {}

  constructor(versions: CrawlVersions, location: string) {
    this.#versions = versions
    this.#location = location
    this.#number = String(versions.current.version + 1)
  }

  get db(): CrawlVersions {
    return this.#versions
  }

  /** Files that only this step needs. */
  get workFolder(): string {
    return `${this.#location}/versions/${this.#number}/work`
  }

  /** Writes the rows of a query to files and creates the temporary view `name` of them, so that they are computed once. */
  async keep(name: string, sql: string): Promise<void> {
    const path = `${this.workFolder}/${name}${this.#versions.nextStep()}`
    await this.#versions.spark.request('keep', { db: this.#versions.db, sql, path, name })
  }

  /**
   * Writes all rows of a table. `urls` is written in two parts: rows that were in the table, which are in their buckets already, and new
   * rows, which must be sent to theirs.
   * @param rows selects the columns of the table
   */
  async write(table: TableName, rows: string, newRows?: string): Promise<void> {
    const folder = `${this.#number}/${table}${this.#versions.nextStep()}`
    const columns = castColumns(table)
    const [create = ''] = this.#versions.tableStatements('unused', table, folder)
    const name = /t_\w+/.exec(create)?.[0] ?? ''
    const spread = table === 'urls' ? 'DISTRIBUTE BY host' : ''
    await this.#versions.run(
      create,
      `INSERT INTO ${name} SELECT ${columns} FROM (${rows})`,
      ...(newRows === undefined ? [] : [`INSERT INTO ${name} SELECT ${columns} FROM (${newRows}) ${spread}`]),
    )
    const replaced = this.#tables[table]
    if (replaced === undefined) this.written.push(table)
    else this.#replaced.push(`${this.#location}/versions/${replaced}`)
    this.#tables = { ...this.#tables, [table]: folder }
  }

  /** Uses the written `urls` for the rest of this step. */
  async useWritten(table: TableName): Promise<void> {
    await this.#versions.run(...this.#versions.tableStatements(table, table, this.#tables[table]))
  }

  /** Sets values of the next version. */
  set(state: Partial<Pick<CrawlVersion, 'segments' | 'drops' | 'unfinishedIndexes'>>): void {
    this.#state = { ...this.#state, ...state }
  }

  get state(): CrawlVersion {
    return { ...this.#versions.current, ...this.#state }
  }

  /** `undefined`: nothing changed. */
  result(): CrawlVersion | undefined {
    if (this.written.length === 0 && Object.keys(this.#state).length === 0) return undefined
    return {
      ...this.state,
      version: Number(this.#number),
      tables: { ...this.#versions.current.tables, ...this.#tables },
    }
  }

  /** Folders that are not needed after this step. */
  get leftovers(): string[] {
    return [this.workFolder, ...this.#replaced]
  }
}

const FORMAT = 1
const EMPTY: CrawlVersion = {
  version: 0,
  buckets: 0,
  tables: {},
  segments: [],
  drops: {},
  unfinishedIndexes: [],
  earlier: [],
}

const schema = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  buckets: z.int().min(1),
  tables: z.partialRecord(z.enum(TABLE_NAMES as [TableName, ...TableName[]]), z.string()),
  segments: z.array(
    z.object({
      name: z.string(),
      createdAt: z.number(),
      urls: z.number(),
      state: z.enum(['generated', 'updated', 'abandoned']),
    }),
  ),
  drops: z.record(z.string(), z.number()),
  unfinishedIndexes: z.array(z.string()),
  earlier: z.array(z.array(z.string())),
})

function parseVersion(text: string, location: string): CrawlVersion {
  const file = `${location}/current.json`
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (error) {
    throw new DatabaseUnreadable(`${file} is damaged: it is not JSON. Restore it from a copy`, {
      cause: error,
    })
  }
  const format = z.object({ format: z.number() }).safeParse(found).data?.format
  if (format !== undefined && format > FORMAT)
    throw new DatabaseUnreadable(
      `${file} has format ${format}, this program knows up to ${FORMAT}: use a newer orbweaver; nothing was changed`,
    )
  const parsed = schema.safeParse(found)
  if (parsed.success) return parsed.data as CrawlVersion
  const [issue] = parsed.error.issues
  throw new DatabaseUnreadable(
    `${file} is damaged: ${issue?.path.join('.')}: ${issue?.message}. Restore it from a copy`,
  )
}

function nulls(table: TableName): Record<string, string> {
  return Object.fromEntries(Object.keys(TABLES[table]).map((column) => [column, 'NULL']))
}

/** A view of values that are a part of this statement. */
function jsonView(name: string, columns: string, values: readonly object[]): string {
  const type = `array<struct<${columns.replaceAll(/(\w+) (\w+)/g, '$1: $2')}>>`
  return `CREATE OR REPLACE TEMP VIEW ${name} AS SELECT inline(from_json(${sparkText(JSON.stringify(values))}, ${sparkText(type)}))`
}

/** The URI of a file on the disk, as Hadoop reads it: without escapes. */
export function fileUri(path: string): string {
  return `file://${path}`
}
