import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { CrawlError } from '../../base/crawl-error.ts'

/**
 * The crawl directory has no embedded search index.
 * Remedy: Run `orbweaver index <dir>`.
 */
export class IndexMissing extends CrawlError {
  readonly code = 'INDEX_MISSING'
  readonly retryable = false
}

/**
 * The file of the search index cannot be opened, is damaged, or is of another version.
 * Remedy: Follow the message, or delete the file and run `orbweaver index <dir> --all`.
 */
export class IndexUnusable extends CrawlError {
  readonly code = 'INDEX_UNUSABLE'
  readonly retryable = false
}

/** The file of a crawl directory's index. */
export function indexFile(crawlDirectory: string): string {
  return join(crawlDirectory, 'index', 'pages.sqlite')
}

/** Opens the index of a crawl directory to change it, and creates it on first use. @throws IndexUnusable */
export function openIndexFile(crawlDirectory: string): DatabaseSync {
  const file = indexFile(crawlDirectory)
  mkdirSync(join(crawlDirectory, 'index'), { recursive: true })
  return opened(file, false, (db) => {
    // Readers can read while another process writes, and commits are durable.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536')
    db.exec(`BEGIN IMMEDIATE; ${TABLES}; ${LARGE_BATCHES}; COMMIT`)
  })
}

/** Opens the index of a crawl directory to search it. @throws IndexMissing, IndexUnusable */
export function openIndexFileToRead(crawlDirectory: string): DatabaseSync {
  const file = indexFile(crawlDirectory)
  if (!existsSync(file)) throw new IndexMissing(`there is no index in ${crawlDirectory} yet`)
  return opened(file, true, (db) => db.exec('PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536'))
}

/** How many bytes of words FTS5 collects before it writes them out: with its 1 MB, it merges what it has written more often. */
const LARGE_BATCHES = `INSERT INTO words (words, rank) VALUES ('hashsize', ${32 * 1024 * 1024})`

/** Increased when tables or tokens change so that an index must be rebuilt. */
const VERSION = 2

/**
 * The columns of the words of a page, with their weights in BM25. `shared` has what most pages of its host share: pages are found by it, but
 * it says nothing about them. `labels` is used by filters only.
 */
export const WORD_COLUMNS = {
  ...{ title: 4, headings: 2, anchors: 2, address: 1, content: 1 },
  ...{ shared: 0, labels: 0 },
} as const

/** What a page is called, by itself and by others; a small index, so that frequent words are found quickly there. */
export const NAME_COLUMNS = { title: 4, others: 1, address: 1, labels: 0 } as const

/** How long to wait for another process that writes. */
const BUSY_MS = 10_000

const TABLES = `
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO meta VALUES ('version', '${VERSION}');
CREATE TABLE IF NOT EXISTS pages (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, url TEXT NOT NULL, host TEXT NOT NULL, domain TEXT, title TEXT, name TEXT,
  type TEXT, lang TEXT, weight REAL NOT NULL, boost REAL NOT NULL, date INTEGER NOT NULL, tstamp INTEGER NOT NULL,
  last_modified INTEGER, published INTEGER, digest TEXT, segment TEXT NOT NULL, cluster TEXT
);
CREATE INDEX IF NOT EXISTS hosts ON pages (host);
CREATE INDEX IF NOT EXISTS clusters ON pages (cluster) WHERE cluster IS NOT NULL;
CREATE TABLE IF NOT EXISTS texts (
  row INTEGER PRIMARY KEY, headings TEXT NOT NULL, anchors TEXT NOT NULL, description TEXT, metadata TEXT NOT NULL, content BLOB NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  ${Object.keys(WORD_COLUMNS).join(', ')}, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE IF NOT EXISTS names USING fts5(
  ${Object.keys(NAME_COLUMNS).join(', ')}, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE TABLE IF NOT EXISTS terms (term TEXT PRIMARY KEY, pages INTEGER NOT NULL, reversed TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS terms_from_end ON terms (reversed) WHERE reversed IS NOT NULL;
CREATE TABLE IF NOT EXISTS sampled_hosts (host TEXT PRIMARY KEY, sampled INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sampled_lines (
  host TEXT NOT NULL, line TEXT NOT NULL, pages INTEGER NOT NULL, PRIMARY KEY (host, line)
) WITHOUT ROWID`

function opened(file: string, readOnly: boolean, prepare: (db: DatabaseSync) => void): DatabaseSync {
  const { DatabaseSync } = nodeSqlite()
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { readOnly, timeout: BUSY_MS })
    prepare(db)
    const { value } = db.prepare(`SELECT value FROM meta WHERE key = 'version'`).get() ?? {}
    // Makes FTS5 read its structure now, so that a damaged index is found when it is opened.
    if (value === String(VERSION)) db.prepare('SELECT words.rowid, names.rowid FROM words, names')
    else throw new OtherVersion(String(value))
    return db
  } catch (error) {
    db?.close()
    throw indexUnusable(file, error)
  }
}

/** The file is an index of another version of this program. */
class OtherVersion extends Error {
  readonly isOlder: boolean

  constructor(version: string) {
    super(`it has version ${version}, this program makes version ${VERSION}`)
    this.isOlder = Number(version) < VERSION
  }
}

/**
 * Deletes the index of a crawl directory if an earlier version of this program made it: all its data is in the segments. Returns
 * whether it was deleted.
 */
export function deleteOlderIndex(crawlDirectory: string): boolean {
  const file = indexFile(crawlDirectory)
  if (!existsSync(file)) return false
  try {
    opened(file, true, () => {}).close()
    return false
  } catch (error) {
    const isOlder =
      error instanceof IndexUnusable && error.cause instanceof OtherVersion && error.cause.isOlder
    if (isOlder) for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
    return isOlder
  }
}

/** The error for a failure of an open index, with the reason and a remedy. */
export function indexUnusable(file: string, error: unknown): IndexUnusable {
  if (error instanceof IndexUnusable) return error
  const reason = error instanceof Error ? error.message : String(error)
  const advice = isSound(error)
    ? ''
    : error instanceof OtherVersion && error.isOlder
      ? ': orbweaver index makes it again'
      : ': delete it, and make it again with orbweaver index'
  return new IndexUnusable(`the index in ${file} cannot be used (${reason})${advice}`, { cause: error })
}

/** Whether the file is damaged. */
export function isIndexDamaged(error: unknown): boolean {
  return DAMAGE.has(resultCode(error) ?? 0)
}

/** Whether another process, the disk or missing permissions are the cause. The file is then not damaged and must not be deleted. */
function isSound(error: unknown): boolean {
  return SOUND.has(resultCode(error) ?? 0)
}

/** SQLite's own, without what it adds to it; `undefined` for other errors. */
function resultCode(error: unknown): number | undefined {
  const { errcode } = error as { readonly errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** SQLITE_CORRUPT, NOTADB */
const DAMAGE: ReadonlySet<number> = new Set([11, 26])
/** SQLITE_PERM, BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN */
const SOUND: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 10, 13, 14])

/** Reads the whole embedded index of a crawl directory. Returns why it cannot be used; `undefined` when it can, or there is none. */
export function checkIndex(crawlDirectory: string): string | undefined {
  if (!existsSync(indexFile(crawlDirectory))) return undefined
  try {
    const db = openIndexFileToRead(crawlDirectory)
    try {
      const { integrity_check: found } = db.prepare('PRAGMA integrity_check(1)').get() ?? {}
      return found === 'ok'
        ? undefined
        : `the index is damaged (${String(found)}): delete it, and make it again with orbweaver index`
    } finally {
      db.close()
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

type NodeSqlite = typeof import('node:sqlite')

let loaded: NodeSqlite | undefined

/**
 * `node:sqlite`, loaded on first use and without the line that some versions of Node.js print about it: what it is built on is SQLite
 * itself, and a user can do nothing about it.
 */
export function nodeSqlite(): NodeSqlite {
  if (loaded !== undefined) return loaded
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    loaded = process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
  return loaded
}
