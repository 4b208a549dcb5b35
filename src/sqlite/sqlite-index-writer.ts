import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import type { IndexDocument } from '../index/index-document.ts'
import {
  type IndexChange,
  IndexUnavailable,
  type IndexWriter,
  type RefusedChange,
} from '../index/index-writer.ts'
import { openIndexFile } from './index-file.ts'
import { pageLabels } from './page-labels.ts'
import { searchText } from './search-words.ts'

/** Writes the embedded index of a crawl directory. Whoever searches sees what was there at the last commit. */
export class SqliteIndexWriter implements IndexWriter {
  readonly name = 'sqlite'
  /** Small: writing holds up everything else in this thread. */
  readonly batchSize = 100
  readonly #db: DatabaseSync
  readonly #statements: Statements
  #open = true

  private constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = prepareStatements(db)
  }

  /** @throws IndexUnusable */
  static open(crawlDirectory: string): SqliteIndexWriter {
    return new SqliteIndexWriter(openIndexFile(crawlDirectory))
  }

  async write(changes: readonly IndexChange[]): Promise<readonly RefusedChange[]> {
    this.#attempt(() => {
      if (!this.#db.isTransaction) this.#db.exec('BEGIN IMMEDIATE')
      for (const change of changes) {
        if (change.kind === 'put') this.#put(change.document)
        else this.#delete(change.id)
      }
    })
    return []
  }

  async commit(): Promise<void> {
    this.#attempt(() => {
      if (this.#db.isTransaction) this.#db.exec('COMMIT')
    })
  }

  /** What was not committed is dropped. */
  async close(): Promise<void> {
    if (this.#open) this.#db.close()
    this.#open = false
  }

  #put(document: IndexDocument): void {
    const { page, text, words } = this.#statements
    const { id, url, host, domain, title, content, anchors, digest, boost, tstamp, lastModified } = document
    const { type, lang, segment, metadata } = document
    const values = [id, url, host, domain, title, type, lang, weightOf(boost), boost, tstamp, lastModified]
    const { row } = page.get(...[...values, digest, segment].map((value) => value ?? null)) ?? {}
    if (typeof row !== 'number') throw new Error('an index row has no number')
    text.run(row, deflateRawSync(content), JSON.stringify(anchors), JSON.stringify(metadata))
    words.run(
      row,
      searchText(title ?? ''),
      searchText(anchors.join(' ')),
      searchText(addressWords(url)),
      searchText(content),
      pageLabels(document),
    )
  }

  #delete(id: string): void {
    const { find, forget } = this.#statements
    const { row } = find.get(id) ?? {}
    if (typeof row === 'number') for (const statement of forget) statement.run(row)
  }

  /** Nothing of a batch that failed half-way stays. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (this.#open && this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw new IndexUnavailable(`the embedded index takes nothing: ${String(error)}`, { cause: error })
    }
  }
}

interface Statements {
  readonly page: StatementSync
  readonly text: StatementSync
  readonly words: StatementSync
  readonly find: StatementSync
  readonly forget: readonly StatementSync[]
}

const PAGE_COLUMNS = [
  ...['id', 'url', 'host', 'domain', 'title', 'type', 'lang', 'weight', 'boost', 'tstamp', 'last_modified'],
  ...['digest', 'segment'],
]

function prepareStatements(db: DatabaseSync): Statements {
  const changed = PAGE_COLUMNS.slice(1).map((column) => `${column} = excluded.${column}`)
  return {
    page: db.prepare(
      `INSERT INTO pages (${PAGE_COLUMNS.join(', ')}) VALUES (${PAGE_COLUMNS.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET ${changed.join(', ')} RETURNING row`,
    ),
    text: db.prepare('INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?)'),
    words: db.prepare(
      'INSERT OR REPLACE INTO words (rowid, title, anchors, address, content, labels) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    find: db.prepare('SELECT row FROM pages WHERE id = ?'),
    forget: [
      db.prepare('DELETE FROM words WHERE rowid = ?'),
      db.prepare('DELETE FROM texts WHERE row = ?'),
      db.prepare('DELETE FROM pages WHERE row = ?'),
    ],
  }
}

/**
 * What relevance is multiplied by. Scores span many powers of ten, and words shall decide before links do: with ten thousand times the
 * score, and so a hundred times the boost, a page counts half as much again.
 */
function weightOf(boost: number): number {
  return 1 + (boost > 0 && Number.isFinite(boost) ? Math.log1p(boost) / 8 : 0)
}

/** The host and the path, as somebody reads them. */
function addressWords(url: string): string {
  const address = url.replace(/^[a-z]+:\/\//i, '').replace(/[?#].*$/s, '')
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
