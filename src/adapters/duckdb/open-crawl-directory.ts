import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, wallClock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { logEvent } from '../../base/event-codes.ts'
import { type EventLog, NO_LOG } from '../../base/event-log.ts'
import type { CrawlDb } from '../../domain/crawldb/crawl-db.ts'
import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import type { HostDb } from '../../domain/crawldb/host-db.ts'
import type { LinkDb } from '../../domain/crawldb/link-db.ts'
import type { WebGraph } from '../../domain/crawldb/web-graph.ts'
import type { DeadLetters } from '../../domain/frontier/dead-letters.ts'
import type { Frontier } from '../../domain/frontier/frontier.ts'
import type { ItemLog } from '../../domain/frontier/item-log.ts'
import type { IndexLedger } from '../../domain/indexing/index-ledger.ts'
import type { LiveCrawl } from '../../domain/live/live-crawl.ts'
import type { OwnedReads } from '../crawl-directory/control/control-methods.ts'
import { ControlServer } from '../crawl-directory/control/control-server.ts'
import {
  type CrawlLock,
  describeOwner,
  isAlive,
  type LockRequest,
  readLockOwner,
  takeCrawlLock,
} from '../crawl-directory/crawl-lock.ts'
import { makeDirectory, removeEmptyDirectories } from '../crawl-directory/directories.ts'
import { ENGINE_FILE } from '../crawl-directory/engine-file.ts'
import { LocalSegmentFolder, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import type { Database } from './database.ts'
import { DuckCrawlDb } from './duck-crawl-db.ts'
import { DuckCrawlDbReader } from './duck-crawl-db-reader.ts'
import { DuckIndexLedger } from './duck-index-ledger.ts'
import { explainFailure } from './explain-failure.ts'
import { DuckDeadLetters } from './frontier/duck-dead-letters.ts'
import { DuckFrontier, type DuckFrontierOptions } from './frontier/duck-frontier.ts'
import { DuckItemLog } from './frontier/duck-item-log.ts'
import { DuckWebGraph } from './graph/duck-web-graph.ts'
import { DuckHostDb } from './hosts/duck-host-db.ts'
import {
  createDatabase,
  DATABASE_FILE,
  type DatabaseOptions,
  LOCK_FILE,
  openDatabase,
  SPILL_FOLDER,
} from './open-database.ts'
import { prepareSchema } from './schema.ts'
import { recoverSegments } from './segment-progress.ts'
import type { Session } from './session.ts'

export interface OpenOptions extends DatabaseOptions {
  /** Name of the command, shown to other processes while the lock is held; such as `crawl`. */
  readonly command: string
  /** Take the lock even if another process holds it. @default false */
  readonly force?: boolean
  /** Read-only access: how long to wait for a process that owns the directory and does not respond yet. @default 5000 */
  readonly ownerWaitMs?: number
  /** Where the files of segments are. @default in the crawl directory */
  readonly segmentFolder?: SegmentFolder
  /** @default wallClock */
  readonly clock?: Clock
}

/** A crawl directory that is open. */
export interface CrawlDirectory {
  readonly path: string
  readonly segmentsPath: string
  readonly segmentFolder: SegmentFolder
  readonly db: CrawlDb
  readonly links: LinkDb
  readonly reader: CrawlDbReader
  /** Absent: the engine of the CrawlDb has none. */
  readonly graph?: WebGraph
  /** Absent: the engine of the CrawlDb has none. */
  readonly hostDb?: HostDb
  /** Pages written to each search index. */
  readonly indexLedger: IndexLedger
  /** Items of spiders. */
  readonly items: ItemLog
  readonly deadLetters: DeadLetters
  /** The frontier of a spider in this directory. Open one at a time: each leases all waiting requests. */
  frontier(options: DuckFrontierOptions): Frontier
  /** A connection for queries over files. Close it. Absent: the directory has no database that may read them. */
  connect?(): Promise<Session>
  /** Sets the running crawl that other processes see; `undefined` when it has ended. Without effect in a directory opened for reading. */
  showLive(live: LiveCrawl | undefined): void
  /** Waits for pending changes and releases the lock. */
  close(): Promise<void>
}

/**
 * Opens a crawl directory for writing and creates it on first use. Unfinished work of a killed process is completed or rolled back.
 * Other processes of this user can read the crawl through the control socket until it is closed.
 * @throws CrawlDirectoryLocked, DatabaseUnreadable, ResourcesExhausted
 */
export async function openCrawlDirectory(path: string, options: OpenOptions): Promise<CrawlDirectory> {
  return withDirectoryLock(path, options, async ({ folder, clock }) => {
    checkEngine(path)
    const isEmpty = await createDatabase(path)
    const database = await openDatabase(path, options, 'READ_WRITE')
    try {
      const segments = isEmpty ? [] : await preparedSegments(database, path)
      await recoverSegments(folder, new Set(segments))
    } catch (error) {
      await database.close()
      throw error
    }
    return {
      directory: { ...directoryOf(path, folder, database, clock), connect: () => database.connect() },
      reads: (signal) => directoryOf(path, folder, database.interruptedBy(signal), clock),
      close: () => database.close(),
    }
  })
}

/** Prepares the tables; returns the names of all segments. */
async function preparedSegments(database: Database, path: string): Promise<string[]> {
  await database.change((session) => prepareSchema(session, join(path, DATABASE_FILE)))
  const rows = await database.read((session) => session.all<{ name: string }>('SELECT name FROM segments'))
  return rows.map(({ name }) => name)
}

/** @throws ConfigurationError if the CrawlDb is on Spark */
export function checkEngine(path: string): void {
  if (!existsSync(join(path, ENGINE_FILE))) return
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `the CrawlDb of ${path} is on Spark, not in DuckDB: convert it with "orbweaver db convert ${path}", or use another directory`,
  )
}

/** An open CrawlDb with the ports next to it. */
export interface OwnedDirectory {
  readonly directory: Omit<CrawlDirectory, 'showLive' | 'close'>
  /** The same for other processes. Queries are interrupted when `signal` is aborted. */
  reads(signal: AbortSignal): OwnedReads
  close(): Promise<void>
}

/**
 * Takes the lock of a crawl directory, calls `open`, and lets other processes read it through the control socket.
 * @throws CrawlDirectoryLocked
 */
export async function withDirectoryLock(
  path: string,
  options: OpenOptions,
  open: (context: { readonly folder: SegmentFolder; readonly clock: Clock }) => Promise<OwnedDirectory>,
): Promise<CrawlDirectory> {
  const { command, force = false, clock = wallClock, log = NO_LOG } = options
  const folder = segmentFolderOf(path, options)
  const created = await makeDirectory(folder.path)
  const owner = force ? readLockOwner(join(path, LOCK_FILE)) : undefined
  const lock = await takeLockOf(path, { command, force, now: clock.now() })
  if (owner !== undefined && isAlive(owner))
    logEvent(
      log,
      'LOCK_OVERRIDDEN',
      `the lock of ${path} was held by ${describeOwner(owner)} and is overridden`,
    )
  try {
    // What a killed process had set aside for want of memory.
    await rm(join(path, SPILL_FOLDER), { recursive: true, force: true })
    for (const name of REPLACED_FILES) await rm(join(path, `${name}.tmp`), { force: true })
    const { directory, reads, close } = await open({ folder, clock })
    const control = await startControl(path, reads, log)
    return {
      ...directory,
      showLive(live) {
        if (control !== undefined) control.live = live
      },
      async close() {
        await control?.stopReads()
        await close()
        await control?.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    // A crawl that could not be created leaves nothing behind.
    if (created !== undefined) await removeEmptyDirectories(folder.path, created)
    throw error
  }
}

/** Files that only the owner of the directory replaces. A process that is killed meanwhile leaves the new one under a temporary name. */
const REPLACED_FILES = ['hosts.json', 'settings.json', 'private-hosts.json'] as const

/** A file system without sockets or permissions does not keep a crawl from running. */
async function startControl(
  path: string,
  reads: OwnedDirectory['reads'],
  log: EventLog,
): Promise<ControlServer | undefined> {
  try {
    return await ControlServer.start(path, { reads })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    logEvent(
      log,
      'CONTROL_SOCKET_UNAVAILABLE',
      `other processes cannot read this crawl while it runs: there is no control socket in ${path} (${reason})`,
    )
    return undefined
  }
}

/** The ports of a database. @param isSealed whether its SQL has no access to files */
export function directoryOf(
  path: string,
  segmentFolder: SegmentFolder,
  database: Database,
  clock: Clock,
  isSealed = false,
) {
  const db = new DuckCrawlDb(database, segmentFolder, join(path, SPILL_FOLDER, 'seeds'))
  return {
    path,
    segmentsPath: segmentFolder.path,
    segmentFolder,
    db,
    links: db,
    reader: new DuckCrawlDbReader(database, isSealed),
    graph: new DuckWebGraph(database, segmentFolder, join(path, SPILL_FOLDER, 'links')),
    hostDb: new DuckHostDb(database, segmentFolder),
    indexLedger: new DuckIndexLedger(database, segmentFolder),
    items: new DuckItemLog(database),
    deadLetters: new DuckDeadLetters(database),
    frontier: (options: DuckFrontierOptions): Frontier => new DuckFrontier(database, clock, options),
  }
}

export function segmentFolderOf(
  path: string,
  { segmentFolder = new LocalSegmentFolder(join(path, 'segments')) }: Pick<OpenOptions, 'segmentFolder'>,
): SegmentFolder {
  return segmentFolder
}

async function takeLockOf(path: string, request: LockRequest): Promise<CrawlLock> {
  try {
    return takeCrawlLock(join(path, LOCK_FILE), request)
  } catch (error) {
    // The disk may be too full even for the lock.
    throw await explainFailure(error, path)
  }
}
