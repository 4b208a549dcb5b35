import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BIGINT, DOUBLE, type DuckDBType, FLOAT, VARCHAR } from '@duckdb/node-api'
import { createSeedStanding, type InjectRules, type SeedBatch } from '../../domain/crawldb/inject-record.ts'
import { metadataJson } from '../../domain/crawldb/record-row.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { hostSql } from './new-urls.ts'
import { type Session, sqlList, sqlText } from './session.ts'

export interface StagedSeedsOptions {
  /** Whether the column `line` is filled; needed if known records may change. */
  readonly keepLines: boolean
  /** Seeds per part, at least: the table has up to two parts, a file has one. @default 500000 */
  readonly partRows?: number
}

/**
 * Seeds that will be written to `urls`, as the temporary relation `seeds (n, fp, host, url, score, fetch_interval, metadata, line)`; `n`
 * counts from 0 in order of arrival. The first ones are kept in a table; more are written to Parquet files, which take longer, so that
 * memory use stays bounded.
 *
 * Consecutive seeds that differ only in their URL go to DuckDB as one text: one value per seed and column takes five times as long.
 */
export class StagedSeeds {
  readonly #session: Session
  readonly #folder: string
  readonly #keepLines: boolean
  readonly #partRows: number
  readonly #files: string[] = []
  /** Of the part that is being collected. */
  #runs: SeedRun[] = []
  #total = 0
  #written = 0
  #parts = 0
  /** The part before is written while this one is collected. */
  #writing: Promise<void> = Promise.resolve()

  /** @param folder for the files; `remove()` deletes it */
  constructor(session: Session, folder: string, { keepLines, partRows = 500_000 }: StagedSeedsOptions) {
    this.#session = session
    this.#folder = folder
    this.#keepLines = keepLines
    this.#partRows = partRows
  }

  /** Adds all seeds, and ends adding. Returns their number. */
  async addAll(seeds: AsyncIterable<SeedBatch>, rules: InjectRules, now: number): Promise<number> {
    const standing = createSeedStanding(rules, now)
    for await (const batch of seeds) {
      for (const seed of batch) {
        const isPlain = 'count' in seed
        // The standing of plain seeds does not depend on their URLs.
        const { score, fetchInterval, metadata } = standing(isPlain ? { url: '', metadata: {} } : seed)
        if (isPlain) this.addLines(seed.urls, seed.count, score, fetchInterval, metadataJson(metadata))
        else {
          const line = this.#keepLines ? JSON.stringify(seed) : undefined
          this.add(seed.url, score, fetchInterval, metadataJson(metadata), line)
        }
      }
      await this.writeFullPart()
    }
    await this.close()
    return this.#total
  }

  /**
   * A seed as it would be in `urls` if it were not known.
   * @param url normalised: it has no line feed
   * @param line the seed as JSON, with `keepLines`
   */
  add(url: string, score: number, fetchInterval: number, metadata: string | null, line?: string): void {
    const run = this.#runs.at(-1)
    if (
      run !== undefined &&
      line === undefined &&
      run.score === score &&
      run.fetchInterval === fetchInterval &&
      run.metadata === metadata &&
      this.#total - run.first < MAX_RUN
    )
      run.urls.push(url)
    else this.#runs.push({ first: this.#total, urls: [url], score, fetchInterval, metadata, line })
    this.#total++
  }

  /**
   * Several seeds that differ only in their URL.
   * @param urls joined with line feeds
   * @param count at most a few thousand
   */
  addLines(urls: string, count: number, score: number, fetchInterval: number, metadata: string | null): void {
    this.add(urls, score, fetchInterval, metadata)
    this.#total += count - 1
  }

  /** Starts to write a file if there are seeds for one. Call it after each batch. */
  async writeFullPart(): Promise<void> {
    if (this.#total - this.#written >= this.#partRows) await this.#writePart()
  }

  /** Ends adding and creates the relation `seeds`. */
  async close(): Promise<void> {
    if (this.#runs.length > 0 || this.#parts === 0) await this.#writePart()
    await this.#writing
    const files = this.#files.length === 0 ? '' : `UNION ALL FROM read_parquet(${sqlList(this.#files)})`
    await this.#session.run(`CREATE TEMP VIEW seeds AS FROM first_seeds ${files}`)
    // Nothing is left to read, and the CrawlDb will not be small: it may use all cores.
    if (files !== '') await this.#session.run('RESET threads')
  }

  /** Writes all seeds that are in the table to a file, too. Returns all files. */
  async files(): Promise<readonly string[]> {
    await mkdir(this.#folder, { recursive: true })
    const file = join(this.#folder, 'first.parquet')
    await this.#session.run(`COPY first_seeds TO ${sqlText(file)} (${FILE_FORMAT})`)
    return [file, ...this.#files]
  }

  async remove(): Promise<void> {
    await this.#writing.catch(() => {})
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Waits for the part before only: memory holds two parts. */
  async #writePart(): Promise<void> {
    await this.#writing
    const runs = this.#runs
    this.#runs = []
    this.#written = this.#total
    this.#writing = this.#write(runs, this.#parts++)
    // The next wait reports it.
    this.#writing.catch(() => {})
  }

  async #write(runs: readonly SeedRun[], part: number): Promise<void> {
    await this.#stage(runs)
    await this.#session.run(`${await this.#placement(part)}; DROP TABLE seed_runs`)
  }

  /** The statement that moves the rows of `seed_runs` to their place. */
  async #placement(part: number): Promise<string> {
    if (part === 0) return `CREATE TEMP TABLE first_seeds AS ${ROWS}`
    if (part < TABLE_PARTS) return `INSERT INTO first_seeds ${ROWS}`
    await mkdir(this.#folder, { recursive: true })
    const file = join(this.#folder, `${part}.parquet`)
    this.#files.push(file)
    return `COPY (${ROWS}) TO ${sqlText(file)} (${FILE_FORMAT})`
  }

  async #stage(runs: readonly SeedRun[]): Promise<void> {
    const table = await this.#session.stage(
      'seed_runs',
      this.#keepLines ? { ...COLUMNS, line: VARCHAR } : COLUMNS,
    )
    for (const { first, urls, score, fetchInterval, metadata, line } of runs)
      table.add(
        BigInt(first),
        urls.join('\n'),
        score,
        fetchInterval,
        metadata,
        ...(line === undefined ? [] : [line]),
      )
    table.close()
  }
}

/** Seeds that follow each other and differ only in their URL. */
interface SeedRun {
  /** `n` of the first one. */
  readonly first: number
  /** URLs, or several joined with line feeds. */
  readonly urls: string[]
  readonly score: number
  readonly fetchInterval: number
  readonly metadata: string | null
  readonly line: string | undefined
}

/** URLs per run: enough that a run costs nothing, and few enough that its text is small. */
const MAX_RUN = 2_000

const COLUMNS: Readonly<Record<string, DuckDBType>> = {
  first: BIGINT,
  urls: VARCHAR,
  score: FLOAT,
  fetch_interval: DOUBLE,
  metadata: VARCHAR,
}

const FILE_FORMAT = 'FORMAT parquet, COMPRESSION lz4_raw'

/** Parts in the table: a million seeds need about 130 MB of memory. */
const TABLE_PARTS = 2

const SEPARATE = `SELECT * EXCLUDE (first, list), unnest(list) AS url, first + generate_subscripts(list, 1) - 1 AS n
  FROM (SELECT * EXCLUDE (urls), string_split(urls, chr(10)) AS list FROM seed_runs)`
const ROWS = `SELECT n, ${fingerprint64Sql('url')} AS fp, ${hostSql('url')} AS host, * EXCLUDE (n) FROM (${SEPARATE})`
