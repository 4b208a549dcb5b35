import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { printable } from '../base/printable.ts'
import { CrawlDirectoryLocked } from './crawl-directory-error.ts'
import { processExists, processStart } from './process-start.ts'

const lockOwner = z.object({
  pid: z.int().positive(),
  host: z.string(),
  /** Tells it from a later process with the same pid; absent where the system does not say. */
  processStart: z.string().optional(),
  /** When the lock was taken, for people. */
  since: z.string(),
  command: z.string(),
})

/** Who works on a crawl directory. */
export type LockOwner = z.infer<typeof lockOwner>

export interface LockRequest {
  /** What to tell others we do. */
  readonly command: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Take the lock whoever has it. */
  readonly force?: boolean
}

/** A lock that is held. */
export interface CrawlLock {
  /** Does nothing when somebody has taken the lock by force. */
  release(): void
}

/**
 * Takes the lock of a crawl directory. The lock of a process that is no more is taken over.
 * @throws CrawlDirectoryLocked when its owner lives, or lives on another machine
 */
export function takeCrawlLock(file: string, request: LockRequest): CrawlLock {
  const start = processStart(process.pid)
  const own: LockOwner = {
    pid: process.pid,
    host: hostname(),
    ...(start !== undefined && { processStart: start }),
    since: new Date(request.now).toISOString(),
    command: request.command,
  }
  const text = `${JSON.stringify(own)}\n`
  // Bounded: each round removes a dead lock, and only a rival as quick as we are makes another round needed.
  for (let round = 0; round < 10; round++) {
    if (createWhole(file, text)) {
      sweepAsides(file)
      return { release: () => releaseOwn(file, text) }
    }
    const found = readText(file)
    if (found === undefined) continue
    const owner = parseOwner(found)
    if (request.force !== true && (owner === undefined || isAlive(owner))) throw refusal(file, owner)
    removeIfStill(file, found)
  }
  throw refusal(file, readLockOwner(file))
}

/** Who holds the lock; `undefined` when nobody does or it cannot be read. */
export function readLockOwner(file: string): LockOwner | undefined {
  const text = readText(file)
  return text === undefined ? undefined : parseOwner(text)
}

/** `pid 4711 on host, since …, running "crawl"` */
export function describeOwner({ pid, host, since, command }: LockOwner): string {
  return printable(`pid ${pid} on ${host}, since ${since}, running "${command}"`)
}

/** Whether the owner of a lock lives. On another machine nobody can say: it counts as alive. */
export function isAlive({ pid, host, processStart: start }: LockOwner): boolean {
  if (host !== hostname()) return true
  if (!processExists(pid)) return false
  const now = processStart(pid)
  return start === undefined || now === undefined || now === start
}

function refusal(file: string, owner: LockOwner | undefined): CrawlDirectoryLocked {
  const who = owner === undefined ? 'an owner that cannot be read' : describeOwner(owner)
  return new CrawlDirectoryLocked(
    `${file} is held by ${who}; wait for it to end, or use --force if you know that it is no more`,
  )
}

/** Written aside and linked, so that nobody ever reads half a lock. `false` when there is one already. */
function createWhole(file: string, text: string): boolean {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, text)
  try {
    linkSync(aside, file)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Renaming is atomic: of two that take over one dead lock, the slower finds either nothing or the lock of the quicker, and puts that back. */
function removeIfStill(file: string, text: string): void {
  const aside = `${file}.old.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    throw error
  }
  if (readText(aside) !== text) renameSync(aside, file)
  else rmSync(aside, { force: true })
}

/** What processes left that were killed in one of the two functions above. */
function sweepAsides(file: string): void {
  const folder = dirname(file)
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(file)}.`)) continue
    const pid = /\.(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !processExists(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function releaseOwn(file: string, text: string): void {
  if (readText(file) === text) rmSync(file, { force: true })
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
