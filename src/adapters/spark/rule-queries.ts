import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programModule } from '../../base/program-files.ts'
import type { RuleFile, RuleTask } from './apply-rules.ts'
import { sparkText } from './crawl-tables.ts'
import type { CrawlVersions } from './crawl-versions.ts'
import { PACKAGE } from './spark-session.ts'

export interface RuleSource {
  /** How executors build the rules of the crawl; plain data. Called for each step. */
  source(): Promise<unknown>
  /** The script that applies the rules. @default rules-worker of this package */
  readonly worker?: string
}

/** Queries whose rows executors compute with the rules of the crawl, in TypeScript. */
export class RuleQueries {
  readonly #versions: CrawlVersions
  readonly #rules: RuleSource

  constructor(versions: CrawlVersions, rules: RuleSource) {
    this.#versions = versions
    this.#rules = rules
  }

  /**
   * A query for the results of `task` on the rows of `select`.
   * @param columns the columns of the results, with their types
   * @param rows the number of rows of `select`, if it is known: few need not start a process on each executor
   */
  async apply(task: RuleTask, select: string, columns: string, rows?: number): Promise<string> {
    const { spark } = this.#versions
    const name = `orbweaver-rules-${randomUUID()}.json`
    const file: RuleFile<unknown> = { task, source: await this.#rules.source() }
    const path = join(spark.folder, name)
    await writeFile(path, JSON.stringify(file), { mode: 0o600 })
    await spark.request('add_file', { path })
    const worker = this.#rules.worker ?? WORKER
    const command = [spark.node, join(spark.package, relative(PACKAGE, worker)), name]
      .map((part) => `"${part}"`)
      .join(' ')
    return `
      SELECT result.* FROM (
        SELECT from_json(json, ${sparkText(columns)}) AS result FROM (
          SELECT TRANSFORM (to_json(struct(*), map('ignoreNullFields', 'false'))) USING ${sparkText(command)} AS (json STRING)
          FROM (${rows !== undefined && rows <= ROWS_OF_PROCESS ? `SELECT /*+ COALESCE(1) */ * FROM (${select})` : select})))`
  }
}

/** A process that starts and applies the rules to this number of rows takes about a second. */
const ROWS_OF_PROCESS = 10_000

const WORKER = fileURLToPath(programModule('adapters/spark/rules-worker'))
