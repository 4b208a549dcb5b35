import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { DropCounts } from '../../base/drop-counts.ts'
import { DatabaseUnreadable } from '../crawl-directory/crawl-directory-error.ts'
import {
  castColumns,
  ddl,
  PUBLIC_VIEW,
  SMALL_TABLES,
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
    await versions.#showTables(TABLE_NAMES, `SET spark.sql.shuffle.partitions=${current.buckets}`)
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

  /** Creates the temporary view `name` of Parquet files on the disk: these columns, NULL if a file does not have one, `file` and `file_row`. */
  async viewFiles(
    name: string,
    files: readonly string[],
    columns: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (files.length > 0) {
      const schema = ddl(columns)
      await this.#session.request('parquet', { db: this.db, name, files: files.map(fileUri), schema })
      return
    }
    await this.run(emptyView(name, { ...columns, file: 'STRING', file_row: 'BIGINT' }))
  }

  /** Creates the temporary view `name` of `rows`. */
  async viewRows(
    name: string,
    columns: Readonly<Record<string, string>>,
    rows: ReadonlyArray<readonly unknown[]>,
  ): Promise<void> {
    if (rows.length > FEW_ROWS)
      await this.#session.request('values', { db: this.db, name, schema: ddl(columns), rows })
    else await this.run(jsonView(name, columns, rows))
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

  async #showTables(names: readonly TableName[], ...first: string[]): Promise<void> {
    const tables = names.flatMap((name) => this.tableStatements(name, name, this.#current.tables[name]))
    const statements = [...first, ...tables]
    if (statements.length > 0) await this.run(...statements)
  }

  /** Creates the views for SQL of users: `crawldb`, and the small tables, which are a part of `current.json`. */
  async showPublicViews(): Promise<void> {
    const { segments, drops, unfinishedIndexes } = this.#current
    await this.run(
      `CREATE OR REPLACE TEMP VIEW crawldb AS ${PUBLIC_VIEW}`,
      jsonView(
        'segments',
        SMALL_TABLES.segments,
        segments.map(({ name, createdAt, urls, state }) => [name, createdAt, urls, state]),
      ),
      jsonView('drops', SMALL_TABLES.drops, Object.entries(drops)),
      jsonView(
        'unfinished_indexes',
        SMALL_TABLES.unfinished_indexes,
        unfinishedIndexes.map((target) => [target]),
      ),
    )
  }

  /** Creates the view `view` of the files of a table. */
  tableStatements(view: string, table: TableName, folder: string | undefined): string[] {
    if (folder === undefined) return [emptyView(view, TABLES[table])]
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

  /**
   * Writes the rows of a query to files and creates the temporary view `name` of them, so that they are computed once.
   * @param counts aggregates over the rows, computed while they are written
   */
  async keep<Count extends string = never>(
    name: string,
    sql: string,
    counts?: Readonly<Record<Count, string>>,
  ): Promise<Record<Count, number>> {
    const { spark, db } = this.#versions
    const path = `${this.workFolder}/${name}${this.#versions.nextStep()}`
    return spark.request('keep', { db, sql, path, name, counts })
  }

  /**
   * Writes all rows of a table.
   * @param rows selects the columns of the table
   * @param newRows of `urls`: rows that must be sent to their buckets; `rows` are in theirs already
   */
  async write(table: TableName, rows: string, newRows?: string): Promise<void> {
    const folder = `${this.#number}/${table}${this.#versions.nextStep()}`
    const columns = castColumns(table)
    const [create = ''] = this.#versions.tableStatements('unused', table, folder)
    const name = /t_\w+/.exec(create)?.[0] ?? ''
    const spread = table === 'urls' ? 'DISTRIBUTE BY host' : ''
    const more =
      newRows === undefined ? '' : `UNION ALL SELECT * FROM (SELECT ${columns} FROM (${newRows}) ${spread})`
    await this.#versions.run(create, `INSERT INTO ${name} SELECT ${columns} FROM (${rows}) ${more}`)
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

function emptyView(name: string, columns: Readonly<Record<string, string>>): string {
  const values = Object.entries(columns).map(([column, type]) => `CAST(NULL AS ${type}) AS ${column}`)
  return `CREATE OR REPLACE TEMP VIEW ${name} AS SELECT ${values.join(', ')} WHERE false`
}

/** A view of rows that are a part of this statement. */
function jsonView(
  name: string,
  columns: Readonly<Record<string, string>>,
  rows: ReadonlyArray<readonly unknown[]>,
): string {
  const names = Object.keys(columns)
  const values = rows.map((row) => Object.fromEntries(names.map((column, i) => [column, row[i]])))
  const type = `array<struct<${Object.entries(columns)
    .map(([column, sqlType]) => `${column}: ${sqlType}`)
    .join(', ')}>>`
  return `CREATE OR REPLACE TEMP VIEW ${name} AS SELECT inline(from_json(${sparkText(JSON.stringify(values))}, ${sparkText(type)}))`
}

/** Up to this number rows are a part of a statement: Spark need not distribute them. */
const FEW_ROWS = 1000

/** The URI of a file on the disk, as Hadoop reads it: absolute, and without escapes. */
export function fileUri(path: string): string {
  return `file://${resolve(path)}`
}
