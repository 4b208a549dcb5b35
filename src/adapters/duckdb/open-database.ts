import { constants, existsSync, statSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { diskFiles } from '../../base/durable-files.ts'
import { logEvent } from '../../base/event-codes.ts'
import { type EventLog, NO_LOG } from '../../base/event-log.ts'
import { programFile } from '../../base/program-files.ts'
import { ControlClient } from '../crawl-directory/control/control-client.ts'
import {
  CrawlDirectoryLocked,
  DatabaseUnreadable,
  ResourcesExhausted,
} from '../crawl-directory/crawl-directory-error.ts'
import { describeOwner, readLockOwner } from '../crawl-directory/crawl-lock.ts'
import { Database } from './database.ts'
import { explainFailure } from './explain-failure.ts'

export interface DatabaseOptions {
  /** Memory limit of the database. 128 is enough for a spider, even with millions of requests. @default 2048 */
  readonly memoryMb?: number
  /** Threads of the database. @default 1 if the file is small when it is opened, otherwise one per core */
  readonly threads?: number
  /** Read-only access: whether SQL may write files, as a dump does. Otherwise it can access only the database. @default false */
  readonly writesFiles?: boolean
  /** @default none */
  readonly log?: EventLog
}

export const DATABASE_FILE = 'crawldb.duckdb'
export const LOCK_FILE = 'lock'
export const SPILL_FOLDER = '.tmp'

/**
 * Creates the CrawlDb of a crawl directory on first use. Returns whether it has its tables already, and is empty.
 * @throws DatabaseUnreadable, ResourcesExhausted
 */
export async function createDatabase(path: string): Promise<boolean> {
  const file = join(path, DATABASE_FILE)
  if (existsSync(file)) return false
  try {
    return await createWhole(file, path)
  } catch (error) {
    throw await openFailure(error, path, file)
  }
}

/**
 * Opens the CrawlDb of a crawl directory.
 * @throws CrawlDirectoryLocked, DatabaseUnreadable, ResourcesExhausted
 */
export async function openDatabase(
  path: string,
  options: DatabaseOptions,
  mode: 'READ_ONLY' | 'READ_WRITE',
): Promise<Database> {
  const { memoryMb = 2048, threads, writesFiles = false } = options
  const file = join(path, DATABASE_FILE)
  const cores = threads ?? (isSmall(file) ? 1 : undefined)
  try {
    const settings = {
      access_mode: mode,
      memory_limit: `${memoryMb}MB`,
      temp_directory: join(path, SPILL_FOLDER),
      // A checkpoint rewrites the changed columns of all URLs: better after some changes than after each. What is in the log
      // is read again after a crash, which takes a few seconds at most, and has to fit in memory when it is written to its place.
      checkpoint_threshold: `${Math.min(512, Math.ceil(memoryMb / 2))}MB`,
      // Segments are merged once: rows that were read need not be kept.
      enable_external_file_cache: 'false',
      ...(cores !== undefined && { threads: String(cores) }),
      ...NO_EXTENSIONS,
      ...(mode === 'READ_ONLY' && !writesFiles && DATABASE_ONLY),
    }
    const open = () => Database.open(file, settings, path)
    return await (mode === 'READ_WRITE' ? afterReaders(path, open, options) : open())
  } catch (error) {
    throw await openFailure(error, path, file)
  }
}

/** A reader has the file open for a moment, or for the time of a long query: waits for it, but not for a process that writes. */
async function afterReaders<T>(
  path: string,
  open: () => Promise<T>,
  { log = NO_LOG }: DatabaseOptions,
): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += READER_POLL_MS) {
    try {
      return await open()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const isOwned = waitedMs % 1_000 === 0 && (await hasOwner(path))
      if (!isInUse(message) || isOwned || waitedMs >= MAX_READER_WAIT_MS) throw error
      if (waitedMs === 1_000) {
        const [, reader = 'another process'] = /(PID \d+)/.exec(message) ?? []
        logEvent(
          log,
          'WAITING_FOR_READER',
          `waiting for ${reader}, which is reading ${join(path, DATABASE_FILE)}`,
        )
      }
      await sleep(READER_POLL_MS)
    }
  }
}

function hasOwner(path: string): Promise<boolean> {
  return new ControlClient(path).ping().then(
    () => true,
    () => false,
  )
}

const READER_POLL_MS = 100
const MAX_READER_WAIT_MS = 15_000

function isInUse(message: string): boolean {
  return /could not set lock/i.test(message)
}

/** A function in a user's condition must not make DuckDB download an extension. All functions we use are built in. */
const NO_EXTENSIONS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
}

/** For SQL of users: no files, no network, no ATTACH, COPY or LOAD, and no SET that would lift these limits. */
const DATABASE_ONLY = { enable_external_access: 'false', lock_configuration: 'true' }

/** About two million URLs. Below that, more threads do not make the database faster, and the crawl needs the cores. */
function isSmall(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) < 100_000_000
}

/** An empty CrawlDb with its tables, which the build makes: a copy of it costs a tenth of a new one. The sources do not have it. */
const EMPTY_CRAWL_DB = programFile('adapters/duckdb/empty-crawldb.duckdb')

/**
 * A new database is created under a temporary name and renamed: DuckDB cannot open a file whose creation was interrupted. Returns whether
 * it has its tables.
 */
async function createWhole(file: string, path: string): Promise<boolean> {
  const aside = `${file}.new`
  await rm(aside, { force: true })
  const isCopied = existsSync(EMPTY_CRAWL_DB)
  if (isCopied) await copyFile(EMPTY_CRAWL_DB, aside, constants.COPYFILE_FICLONE)
  else await (await Database.open(aside, {}, path)).close()
  await diskFiles.sync(aside)
  await diskFiles.rename(aside, file)
  await diskFiles.sync(path)
  return isCopied
}

async function openFailure(error: unknown, path: string, file: string): Promise<unknown> {
  const explained = await explainFailure(error, path)
  if (explained instanceof ResourcesExhausted) return explained
  const message = error instanceof Error ? error.message : String(error)
  if (isInUse(message)) {
    const owner = readLockOwner(join(path, LOCK_FILE))
    const who = owner === undefined ? `another process (${message})` : describeOwner(owner)
    return new CrawlDirectoryLocked(`${file} is in use by ${who}; wait for it to end`, { cause: error })
  }
  return new DatabaseUnreadable(
    `${file} cannot be read: ${message}. Nothing was changed. Restore it from a copy, or move it away and inject again; updatedb can merge the segments again`,
    { cause: error },
  )
}
