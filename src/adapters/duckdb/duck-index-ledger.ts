import { BOOLEAN, UBIGINT, VARCHAR } from '@duckdb/node-api'
import { readAhead } from '../../base/read-ahead.ts'
import type {
  ChangedPage,
  ChangesRequest,
  IndexLedger,
  SettledPage,
} from '../../domain/indexing/index-ledger.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import type { Database } from './database.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { findIndexChanges } from './index-changes.ts'

/** The pages written to each search index, in the table `indexed_pages` of the crawl's database. */
export class DuckIndexLedger implements IndexLedger {
  readonly #database: Database
  readonly #folder: SegmentFolder
  /** Targets whose last indexing run did not finish, usually in another process. */
  readonly #leftOpen = new Set<string>()

  constructor(database: Database, folder: SegmentFolder) {
    this.#database = database
    this.#folder = folder
  }

  async *changes(target: string, request: ChangesRequest): AsyncGenerator<readonly ChangedPage[]> {
    const unfinished = await this.#begin(target)
    const changes = this.#database.stream((session) =>
      findIndexChanges(session, this.#folder, target, { ...request, unfinished }),
    )
    yield* readAhead(changes)
  }

  async settle(target: string, pages: readonly SettledPage[]): Promise<void> {
    if (pages.length === 0) return
    await this.#database.change(async (session) => {
      const settled = await session.stage('settled', { url: VARCHAR, inputs: UBIGINT, indexed: BOOLEAN })
      // Of one page the last counts.
      const last = new Map(pages.map((page) => [page.url, page]))
      for (const { url, inputs, indexed } of last.values()) settled.add(url, BigInt(inputs), indexed)
      settled.close()
      await session.begin()
      await session.run(
        `DELETE FROM indexed_pages USING settled s
         WHERE target = $1 AND fp = ${fingerprint64Sql('s.url')} AND indexed_pages.url = s.url`,
        [target],
      )
      await session.run(
        `INSERT INTO indexed_pages SELECT $1, ${fingerprint64Sql('url')}, url, inputs, indexed FROM settled`,
        [target],
      )
    })
  }

  async finish(target: string, complete: boolean): Promise<void> {
    if (!complete && this.#leftOpen.has(target)) return
    this.#leftOpen.delete(target)
    await this.#database.change(async (session) => {
      await session.begin()
      await session.run('DELETE FROM unfinished_indexes WHERE target = $1', [target])
    })
  }

  async forget(target: string): Promise<void> {
    await this.#database.change(async (session) => {
      await session.begin()
      await session.run('DELETE FROM indexed_pages WHERE target = $1', [target])
    })
  }

  /** Returns whether an earlier indexing run did not finish. */
  #begin(target: string): Promise<boolean> {
    return this.#database.change(async (session) => {
      const open = await session.all('FROM unfinished_indexes WHERE target = $1', [target])
      await session.begin()
      if (open.length === 0) await session.run('INSERT INTO unfinished_indexes VALUES ($1)', [target])
      else this.#leftOpen.add(target)
      return open.length > 0
    })
  }
}
