import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { wallClock } from '../../base/clock.ts'
import { ControlClient } from '../crawl-directory/control/control-client.ts'
import { OwnerGone } from '../crawl-directory/control/control-error.ts'
import { remoteReads } from '../crawl-directory/control/remote-reads.ts'
import { CrawlDirectoryLocked, CrawlDirectoryMissing } from '../crawl-directory/crawl-directory-error.ts'
import { describeOwner, isAlive, type LockOwner, readLockOwner } from '../crawl-directory/crawl-lock.ts'
import { followingDirectory } from './following-directory.ts'
import {
  type CrawlDirectory,
  checkEngine,
  directoryOf,
  type OpenOptions,
  openCrawlDirectory,
  segmentFolderOf,
} from './open-crawl-directory.ts'
import { DATABASE_FILE, LOCK_FILE, openDatabase } from './open-database.ts'
import { type ReadSource, readOnlyDirectory } from './read-only-directory.ts'
import { isOutdated } from './schema.ts'

/**
 * Opens a crawl directory for reading. While another process owns it, it is read through the control socket of that process; otherwise
 * the files are read, by any number of processes. When the owner ends meanwhile, reading continues with the files. A database of an older
 * version is migrated first. Methods that change data fail.
 * @throws CrawlDirectoryLocked when the owner does not respond; CrawlDirectoryMissing, DatabaseUnreadable
 */
export async function openCrawlDirectoryToRead(
  path: string,
  options: OpenOptions,
  openFiles: OpenFiles = openDatabaseFiles,
): Promise<CrawlDirectory> {
  const source = await openReadSource(path, options, openFiles)
  return source.kind === 'files'
    ? source.directory
    : followingDirectory(source, () => openReadSource(path, options, openFiles))
}

/** Opens the files of a crawl directory for reading, while no process owns it. */
export type OpenFiles = (path: string, options: OpenOptions) => Promise<CrawlDirectory>

/** The owner of a crawl, or else its files. An owner that starts or ends at this moment is waited for. */
export async function openReadSource(
  path: string,
  options: OpenOptions,
  openFiles: OpenFiles = openDatabaseFiles,
): Promise<ReadSource> {
  const client = new ControlClient(path)
  const startedAt = performance.now()
  for (;;) {
    const owner = liveOwner(path)
    const problem = owner === undefined && !client.isOffered() ? undefined : await pingProblem(client)
    if (problem === 'none')
      return {
        kind: 'owner',
        directory: readOnlyDirectory(path, segmentFolderOf(path, options), remoteReads(client)),
      }
    try {
      // Never a second time in one process: DuckDB would lose the lock on the file when one of the two is closed.
      if (isThisProcess(owner)) throw lockedBy(path, owner, problem)
      return { kind: 'files', directory: await openFiles(path, options) }
    } catch (error) {
      const waitMs = problem?.isClosing === true ? CLOSING_MS : (options.ownerWaitMs ?? STARTING_MS)
      if (!(error instanceof CrawlDirectoryLocked) || performance.now() - startedAt > waitMs) throw error
    }
    await sleep(POLL_MS)
  }
}

const POLL_MS = 50
/** An owner takes its lock first, and responds when the database is open. */
const STARTING_MS = 5_000
/** An owner writes its last changes to their place. */
const CLOSING_MS = 60_000

/** The process that holds the lock of a crawl directory and is running. */
export function liveOwner(path: string): LockOwner | undefined {
  const owner = readLockOwner(join(path, LOCK_FILE))
  return owner !== undefined && isAlive(owner) ? owner : undefined
}

async function pingProblem(client: ControlClient): Promise<OwnerGone | 'none' | undefined> {
  try {
    await client.ping()
    return 'none'
  } catch (error) {
    if (error instanceof OwnerGone) return error
    throw error
  }
}

function isThisProcess(owner: LockOwner | undefined): owner is LockOwner {
  return owner?.pid === process.pid && owner.host === hostname()
}

function lockedBy(path: string, owner: LockOwner, problem: Error | undefined): CrawlDirectoryLocked {
  const why = problem === undefined ? '' : ` (${problem.message})`
  return new CrawlDirectoryLocked(`${path} is in use by ${describeOwner(owner)}; wait for it to end${why}`)
}

async function openDatabaseFiles(path: string, options: OpenOptions): Promise<CrawlDirectory> {
  checkEngine(path)
  const file = join(path, DATABASE_FILE)
  if (!existsSync(file))
    throw new CrawlDirectoryMissing(`there is no crawl in ${path}: ${file} does not exist`)
  const database = await openDatabase(path, options, 'READ_ONLY')
  let outdated: boolean
  try {
    outdated = await database.read((session) => isOutdated(session, file))
  } catch (error) {
    await database.close()
    throw error
  }
  const isSealed = options.writesFiles !== true
  if (!outdated)
    return {
      ...directoryOf(path, segmentFolderOf(path, options), database, options.clock ?? wallClock, isSealed),
      showLive() {},
      close: () => database.close(),
    }
  // Once: opened to be changed, it is brought up to date.
  await database.close()
  await (await openCrawlDirectory(path, options)).close()
  return openDatabaseFiles(path, options)
}
