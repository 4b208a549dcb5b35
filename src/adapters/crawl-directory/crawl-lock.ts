import { randomUUID } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { printable } from '../../base/printable.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { CrawlDirectoryLocked } from './crawl-directory-error.ts'
import {
  claimOn,
  type IsAbandoned,
  type LockFiles,
  releaseLock,
  runSteps,
  takeLock,
} from './lock-protocol.ts'
import { processExists, processStart } from './process-start.ts'

const lockOwner = z.object({
  pid: z.int().positive(),
  host: z.string(),
  /** Tells it from a later process with the same pid; absent where the system does not say. */
  processStart: z.string().optional(),
  /** When the lock was taken, for people. */
  since: z.string(),
  command: z.string(),
  /** Tells one attempt to take the lock from all others; absent in locks of version 0.1. */
  attempt: z.string().exactOptional(),
})

/** The process that works on a crawl directory. */
export type LockOwner = z.infer<typeof lockOwner>

export interface LockRequest {
  /** The command, shown to other processes. */
  readonly command: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Take the lock even if its owner is alive. */
  readonly force?: boolean
}

/** A lock that is held. */
export interface CrawlLock {
  /** Does nothing when another process has taken the lock by force. */
  release(): void
}

/**
 * Takes the lock of a crawl directory, also from a process that no longer exists.
 * @throws CrawlDirectoryLocked when its owner is alive, or on another machine
 */
export function takeCrawlLock(file: string, request: LockRequest): CrawlLock {
  const start = processStart(process.pid)
  const own: LockOwner = {
    pid: process.pid,
    host: hostname(),
    ...withoutUndefined({ processStart: start }),
    since: new Date(request.now).toISOString(),
    command: request.command,
    attempt: randomUUID(),
  }
  const text = `${JSON.stringify(own)}\n`
  const isAbandoned: IsAbandoned = (found, kind) => {
    const owner = parseOwner(found)
    if (request.force === true && (kind === 'lock' || owner?.host !== own.host)) return true
    return owner !== undefined && !isAlive(owner)
  }
  const inTheWay = runSteps(takeLock(lockFiles, file, text, isAbandoned))
  if (inTheWay !== undefined) throw refusal(file, parseOwner(inTheWay))
  sweepLeftovers(file, text)
  return { release: () => runSteps(releaseLock(lockFiles, file, text, isAbandoned)) }
}

/** The owner of the lock; `undefined` when it is free or cannot be read. */
export function readLockOwner(file: string): LockOwner | undefined {
  const text = readText(file)
  return text === undefined ? undefined : parseOwner(text)
}

/** `pid 4711 on host, since …, running "crawl"` */
export function describeOwner({ pid, host, since, command }: LockOwner): string {
  return printable(`pid ${pid} on ${host}, since ${since}, running "${command}"`)
}

/** Whether the process that owns a lock is running. A process on another machine cannot be checked and counts as running. */
export function isAlive({ pid, host, processStart: start }: LockOwner): boolean {
  if (host !== hostname()) return true
  if (!processExists(pid)) return false
  const now = processStart(pid)
  return start === undefined || now === undefined || now === start
}

function refusal(file: string, owner: LockOwner | undefined): CrawlDirectoryLocked {
  const who = owner === undefined ? 'an owner that cannot be read' : describeOwner(owner)
  return new CrawlDirectoryLocked(
    `${file} is held by ${who}; wait for it to finish, or use --force if that process no longer runs`,
  )
}

const lockFiles: LockFiles = {
  create(file, text) {
    return throughTemporary(file, text, (temporary) => {
      try {
        linkSync(temporary, file)
        return true
      } catch (error) {
        if (isCode(error, 'EEXIST')) return false
        throw error
      }
    })
  },
  replace(file, text) {
    throughTemporary(file, text, (temporary) => renameSync(temporary, file))
  },
  read: readText,
  remove: (file) => rmSync(file, { force: true }),
}

/** Written under another name first, so that no process reads half a lock. */
function throughTemporary<T>(file: string, text: string, name: (temporary: string) => T): T {
  const temporary = `${file}.${process.pid}`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, text, { flag: 'wx' })
  try {
    return name(temporary)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * Removes what killed processes left: temporary files, and claims. Only claims on the text of our own lock matter from now on, and on claims on those.
 */
function sweepLeftovers(file: string, text: string): void {
  const folder = dirname(file)
  const ownClaim = basename(claimOn(file, text))
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.`) || name.startsWith(ownClaim)) continue
    const path = join(folder, name)
    const pid = /\.(\d+)$/.exec(name)?.[1] ?? readLockOwner(path)?.pid
    if (pid !== undefined && !processExists(Number(pid))) rmSync(path, { force: true })
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    return lockOwner.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
