import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import type { IndexDocument } from '../../domain/indexing/index-document.ts'
import {
  type IndexChange,
  IndexUnavailable,
  type IndexWriter,
  type RefusedChange,
} from '../../domain/indexing/index-writer.ts'
import { searchText } from '../../domain/search/search-words.ts'
import { indexFile, indexUnusable, isIndexDamaged, openIndexFile } from './index-file.ts'
import { pageLabels } from './page-labels.ts'
import { prepareWrite } from './prepare-write.ts'
import {
  SAMPLE,
  SharedLineLearner,
  type SharedLines,
  sharedText,
  titleName,
  withoutSharedLines,
} from './shared-lines.ts'
import { documentOf, type StoredPage } from './stored-page.ts'
import { type SynonymGroups, writeSynonyms } from './synonyms.ts'
import { LANGUAGE_COUNT, PAGE_COUNT, TermCounts } from './term-counts.ts'

/** Writes the embedded index of a crawl directory. Searches see the state of the last commit. */
export class SqliteIndexWriter implements IndexWriter {
  readonly name = 'sqlite'
  /** Small, because writing blocks the calling thread. */
  readonly batchSize = 100
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #statements: Statements
  readonly #terms: TermCounts
  readonly #shared: SharedLineLearner
  #open = true

  private constructor(db: DatabaseSync, file: string) {
    this.#db = db
    this.#file = file
    this.#statements = prepareStatements(db)
    this.#terms = new TermCounts(db)
    this.#shared = new SharedLineLearner(db)
  }

  /**
   * @param synonyms for searches, stored at once. @default those that are stored
   * @throws IndexUnusable
   */
  static open(crawlDirectory: string, synonyms?: SynonymGroups): SqliteIndexWriter {
    const db = openIndexFile(crawlDirectory)
    const file = indexFile(crawlDirectory)
    try {
      if (synonyms !== undefined) writeSynonyms(db, synonyms)
      return new SqliteIndexWriter(db, file)
    } catch (error) {
      db.close()
      throw indexUnusable(file, error)
    }
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
      if (!this.#db.isTransaction) return
      for (const [host, earlier] of this.#shared.flush()) this.#rewrite(host, earlier)
      this.#terms.flush()
      this.#db.exec('COMMIT')
    })
  }

  /** Discards uncommitted changes. */
  async close(): Promise<void> {
    if (this.#open) this.#db.close()
    this.#open = false
  }

  #put(document: IndexDocument): void {
    const { find, insert } = this.#statements
    const { id, host, title = '', content } = document
    const earlier = find.get(id)?.['row']
    if (earlier !== undefined) this.#uncountRow(Number(earlier))
    const row = earlier === undefined ? Number(insert.run(id).lastInsertRowid) : Number(earlier)
    if (earlier === undefined) this.#shared.sample(host, title, content)
    this.#store(row, document)
    this.#index(row, document, this.#shared.of(host))
  }

  /** The document itself, whole. */
  #store(row: number, document: IndexDocument): void {
    const { url, host, domain, title, type, lang, boost, tstamp, lastModified, published } = document
    const { digest, segment, cluster, headings = [], anchors, description, metadata, content } = document
    const facts = [url, host, domain, title, type, lang, weightOf(boost), boost, pageDate(document), tstamp]
    const values = [...facts, lastModified, published, digest, segment, cluster].map((value) => value ?? null)
    this.#statements.update.run(...values, row)
    const lists = [headings, anchors].map((list) => JSON.stringify(list))
    const text = deflateRawSync(content, DEFLATE)
    this.#statements.text.run(row, ...lists, description ?? null, JSON.stringify(metadata), text)
  }

  /** What it is found by; the lines that the pages of its host share apart from the others. */
  #index(row: number, document: IndexDocument, shared: SharedLines): void {
    const { name, words, names } = this.#statements
    const { title = '', content } = document
    const labels = pageLabels({ ...document, date: pageDate(document) })
    const called = titleName(title, shared)
    const [own, heads, linked, address] = nameTexts(document, called)
    const text = searchText(withoutSharedLines(content, shared))
    name.run(called, row)
    words.run(row, own, heads, linked, address, text, searchText(sharedText(title, content, shared)), labels)
    names.run(row, own, `${heads} ${linked}`, address, labels)
    this.#terms.count([own, heads, linked, address, text], countsOf(document), 1)
  }

  /** Indexes the sampled pages of a host again, after more of its shared lines are known. */
  #rewrite(host: string, earlier: SharedLines): void {
    const shared = this.#shared.of(host)
    for (const stored of this.#statements.ofHost.all(host) as unknown as StoredPage[]) {
      const document = documentOf(stored)
      this.#uncount(document, earlier)
      this.#index(stored.row, document, shared)
    }
  }

  /** Takes the words of a page off the counts, before it is replaced or deleted. */
  #uncount(document: IndexDocument, shared: SharedLines): void {
    const { title = '', content } = document
    const text = searchText(withoutSharedLines(content, shared))
    const names = nameTexts(document, titleName(title, shared))
    this.#terms.count([...names, text], countsOf(document), -1)
  }

  #uncountRow(row: number): void {
    const stored = this.#statements.stored.get(row) as StoredPage | undefined
    if (stored !== undefined) this.#uncount(documentOf(stored), this.#shared.of(stored.host))
  }

  #delete(id: string): void {
    const { find, forget } = this.#statements
    const { row } = find.get(id) ?? {}
    if (typeof row !== 'number') return
    this.#uncountRow(row)
    for (const statement of forget) statement.run(row)
  }

  /** Rolls back a batch that failed. */
  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (this.#open && this.#db.isTransaction) this.#db.exec('ROLLBACK')
      this.#terms.discard()
      this.#shared.discard()
      if (isIndexDamaged(error)) throw indexUnusable(this.#file, error)
      throw new IndexUnavailable(`the embedded index takes nothing: ${String(error)}`, { cause: error })
    }
  }
}

/** Half the time of the default level, and ten percent larger; a smaller window takes less time to set up. */
const DEFLATE = { level: 2, memLevel: 7, windowBits: 14 }

interface Statements {
  readonly find: StatementSync
  readonly insert: StatementSync
  readonly update: StatementSync
  readonly name: StatementSync
  readonly text: StatementSync
  readonly words: StatementSync
  readonly names: StatementSync
  readonly stored: StatementSync
  readonly ofHost: StatementSync
  readonly forget: readonly StatementSync[]
}

const PAGE_COLUMNS = [
  ...['url', 'host', 'domain', 'title', 'type', 'lang', 'weight', 'boost', 'date', 'tstamp', 'last_modified'],
  ...['published', 'digest', 'segment', 'cluster'],
]

/** No upsert with RETURNING: SQLite runs that in a savepoint, at each of which FTS5 writes its words out, and a page costs twice as much. */
function prepareStatements(db: DatabaseSync): Statements {
  const stored = 'SELECT * FROM pages JOIN texts USING (row)'
  return {
    find: db.prepare('SELECT row FROM pages WHERE id = ?'),
    insert: prepareWrite(
      db,
      `INSERT INTO pages (id, url, host, weight, boost, date, tstamp, segment) VALUES (?, '', '', 1, 1, 0, 0, '')`,
    ),
    update: prepareWrite(
      db,
      `UPDATE pages SET ${PAGE_COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE row = ?`,
    ),
    name: prepareWrite(db, 'UPDATE pages SET name = ? WHERE row = ?'),
    text: prepareWrite(
      db,
      'INSERT OR REPLACE INTO texts (row, headings, anchors, description, metadata, content) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    words: prepareWrite(
      db,
      'INSERT OR REPLACE INTO words (rowid, title, headings, anchors, address, content, shared, labels) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    names: prepareWrite(
      db,
      'INSERT OR REPLACE INTO names (rowid, title, others, address, labels) VALUES (?, ?, ?, ?, ?)',
    ),
    stored: db.prepare(`${stored} WHERE row = ?`),
    ofHost: db.prepare(`${stored} WHERE host = ? ORDER BY row LIMIT ${SAMPLE}`),
    forget: ['words', 'names']
      .map((table) => prepareWrite(db, `DELETE FROM ${table} WHERE rowid = ?`))
      .concat(['texts', 'pages'].map((table) => prepareWrite(db, `DELETE FROM ${table} WHERE row = ?`))),
  }
}

/** Title, headings, anchor texts and address as they are indexed. */
function nameTexts(
  { headings = [], anchors, url }: IndexDocument,
  name: string,
): [string, string, string, string] {
  return [
    searchText(name),
    searchText(headings.join('\n')),
    searchText(anchors.join('\n')),
    searchText(addressWords(url)),
  ]
}

/** What is counted apart from words. */
function countsOf({ lang }: IndexDocument): string[] {
  return lang === undefined ? [PAGE_COUNT] : [PAGE_COUNT, `${LANGUAGE_COUNT}${lang.split('-', 1).join()}`]
}

/**
 * What relevance is multiplied by. Scores span many powers of ten, and words shall decide before links do: with ten thousand times the
 * score, and so a hundred times the boost, a page counts two and a half times as much.
 */
function weightOf(boost: number): number {
  return 1 + (boost > 0 && Number.isFinite(boost) ? Math.log1p(boost) / 3 : 0)
}

/** When the page says that it was published, otherwise its last change, otherwise the fetch. */
function pageDate({ published, lastModified, tstamp }: IndexDocument): number {
  return published ?? lastModified ?? tstamp
}

/** The host and the path in readable form. */
function addressWords(url: string): string {
  const address = url.replace(/^[a-z]+:\/\//i, '').replace(/[?#].*$/s, '')
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
