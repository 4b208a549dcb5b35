import { constants } from 'node:fs'
import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { isAlive, type LockOwner, readLockOwner } from '../crawl-directory/crawl-lock.ts'
import { processExists } from '../crawl-directory/process-start.ts'
import { type CrawlDirectory, openCrawlDirectoryToRead } from './open-crawl-directory.ts'

export interface SnapshotOptions {
  readonly clock: Clock
  /** Memory limit of the database in MB. @default 512 */
  readonly memoryMb?: number
  /** Copies a file; replaced in tests. @default a copy by reference where the file system supports it */
  readonly copy?: (from: string, to: string) => Promise<void>
}

/**
 * Reads a CrawlDb for hours without blocking the processes that write to it. DuckDB lets one process write a file or several read it, so
 * a reader that has the file open makes a crawl that starts at that moment fail. Therefore the file itself is never opened: while no process
 * holds the lock it is copied (by reference where the file system supports it) and the copy is read. While a process holds the lock, the
 * last copy is read.
 *
 * A copy is consistent if the lock was free before and after copying and the file did not change in between; otherwise it is discarded.
 * It is unlinked as soon as it is open, so that it disappears with the process.
 */
export class CrawlSnapshots {
  readonly #path: string
  readonly #options: SnapshotOptions
  #newest: Snapshot | undefined
  #renewing: Promise<void> | undefined

  constructor(path: string, options: SnapshotOptions) {
    this.#path = path
    this.#options = options
  }

  /**
   * Hands `work` the newest state that could be had; while there was none, `work` is not called and there is no value.
   * @throws DatabaseUnreadable, ResourcesExhausted
   */
  async read<T>(work: (crawl: CrawlDirectory) => Promise<T>): Promise<SnapshotRead<T>> {
    // One copy at a time, shared by concurrent callers.
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    await this.#renewing
    const owner = this.#owner()
    const busy = owner === undefined ? {} : { owner }
    const snapshot = this.#newest
    if (snapshot === undefined) return busy
    return { asOf: snapshot.asOf, ...busy, value: await snapshot.use(work) }
  }

  async close(): Promise<void> {
    await this.#renewing?.catch(() => undefined)
    await this.#newest?.retire()
    this.#newest = undefined
  }

  async #renew(): Promise<void> {
    const asOf = this.#options.clock.now()
    const before = await stampOf(this.#path)
    if (before === undefined || this.#owner() !== undefined) return
    if (before === this.#newest?.stamp) {
      this.#newest.asOf = asOf
      return
    }
    const folder = await makeFolder(this.#path)
    const isWhole = await copyDatabase(this.#path, folder, this.#options.copy ?? copyByReference)
    if (!isWhole || this.#owner() !== undefined || (await stampOf(this.#path)) !== before) {
      await rm(folder, { recursive: true })
      return
    }
    const fresh = await Snapshot.open(folder, asOf, before, this.#options)
    await this.#newest?.retire()
    this.#newest = fresh
  }

  /** The process that holds the lock of the crawl, if that can be determined. */
  #owner(): LockOwner | undefined {
    const owner = readLockOwner(join(this.#path, 'lock'))
    return owner !== undefined && isAlive(owner) ? owner : undefined
  }
}

export interface SnapshotRead<T> {
  /** Time of the state (ms since the epoch). */
  readonly asOf?: number
  /** The process that holds the lock now. */
  readonly owner?: LockOwner
  readonly value?: T
}

/** An open copy. It is closed when it is retired and no longer in use. */
class Snapshot {
  /** When it was last known to equal the database (ms since the epoch). */
  asOf: number
  readonly stamp: string
  readonly #crawl: CrawlDirectory
  #users = 0
  #retired = false

  private constructor(crawl: CrawlDirectory, asOf: number, stamp: string) {
    this.#crawl = crawl
    this.asOf = asOf
    this.stamp = stamp
  }

  static async open(
    folder: string,
    asOf: number,
    stamp: string,
    options: SnapshotOptions,
  ): Promise<Snapshot> {
    try {
      const crawl = await openCrawlDirectoryToRead(folder, {
        command: 'serve',
        memoryMb: options.memoryMb ?? 512,
        clock: options.clock,
      })
      // The folder stays: the database makes its temporary files in it.
      for (const name of FILES) await rm(join(folder, name), { force: true }).catch(ignoreOpenFile)
      return new Snapshot(crawl, asOf, stamp)
    } catch (error) {
      await rm(folder, { recursive: true })
      throw error
    }
  }

  async use<T>(work: (crawl: CrawlDirectory) => Promise<T>): Promise<T> {
    this.#users++
    try {
      return await work(this.#crawl)
    } finally {
      this.#users--
      await this.#closeIfUnused()
    }
  }

  retire(): Promise<void> {
    this.#retired = true
    return this.#closeIfUnused()
  }

  async #closeIfUnused(): Promise<void> {
    if (!this.#retired || this.#users > 0) return
    await this.#crawl.close()
    await rm(this.#crawl.path, { recursive: true, force: true })
  }
}

/** The write-ahead log next to the database holds commits that are not checkpointed yet. */
const FILES = ['crawldb.duckdb', 'crawldb.duckdb.wal'] as const

/** On Windows an open file cannot be unlinked; `close` removes the folder. */
function ignoreOpenFile(): void {}

/** Changes whenever the database does; `undefined` when there is none. */
async function stampOf(path: string): Promise<string | undefined> {
  const [database, log] = await Promise.all(
    FILES.map((name) => stat(join(path, name), { bigint: true }).catch(() => undefined)),
  )
  if (database === undefined) return undefined
  return [database, log].map((file) => `${file?.ino}:${file?.size}:${file?.mtimeNs}`).join(' ')
}

/** `false` if the files changed meanwhile. */
async function copyDatabase(path: string, folder: string, copy: typeof copyByReference): Promise<boolean> {
  for (const name of FILES) {
    try {
      await copy(join(path, name), join(folder, name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        await rm(folder, { recursive: true })
        throw error
      }
      // There need not be a log.
      if (name === 'crawldb.duckdb') return false
    }
  }
  return true
}

function copyByReference(from: string, to: string): Promise<void> {
  return copyFile(from, to, constants.COPYFILE_FICLONE)
}

const FOLDER = '.snapshot-'

/** In the crawl directory, where a copy by reference is possible; in the system folder if the crawl directory is not writable. */
async function makeFolder(path: string): Promise<string> {
  try {
    const folder = await mkdtemp(join(path, `${FOLDER}${process.pid}-`))
    await clearLeftovers(path)
    return folder
  } catch {
    return mkdtemp(join(tmpdir(), 'orbweaver-snapshot-'))
  }
}

/** Removes the copies of killed processes. */
async function clearLeftovers(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    const pid = name.startsWith(FOLDER) ? /^\d+/.exec(name.slice(FOLDER.length))?.[0] : undefined
    if (pid !== undefined && !processExists(Number(pid))) await rm(join(path, name), { recursive: true })
  }
}
