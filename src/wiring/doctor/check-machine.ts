import { readFileSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Settings } from '../../adapters/config/config-schema.ts'
import { formatBytes, formatNumber } from '../../base/format-values.ts'
import { ifExists } from '../../base/if-exists.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** The facts about this machine that the checks use. Tests give their own. */
export interface MachineFacts {
  /** Version of Node.js, without `v`. */
  readonly node: string
  /** Files that this process may have open; `undefined` if not known. */
  readonly openFiles: number | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Of the file system of a path. */
  freeSpace(path: string): Promise<FreeSpace>
  isWritable(path: string): Promise<boolean>
}

export interface FreeSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** Files that can still be created; `undefined` if the file system has no limit. */
  readonly freeFiles: number | undefined
}

export function thisMachine(now: number): MachineFacts {
  return {
    node: process.versions.node,
    openFiles: openFilesLimit(),
    now,
    async freeSpace(path) {
      const { bavail, bsize, blocks, files, ffree } = await statfs(path)
      const freeFiles = files === 0 ? undefined : ffree
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles }
    },
    isWritable: (path) =>
      access(path, constants.W_OK).then(
        () => true,
        () => false,
      ),
  }
}

/** Linux only. Node.js raises its limit to the maximum of the user when it starts. */
function openFilesLimit(): number | undefined {
  try {
    const limit = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === 'unlimited' ? Number.POSITIVE_INFINITY : limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/**
 * Node.js, open files, clock and disk.
 * @param dir a crawl directory, which need not exist yet
 */
export async function checkMachine(
  machine: MachineFacts,
  { politeness }: Pick<Settings, 'politeness'>,
  dir: string,
): Promise<Finding[]> {
  return [
    checkNode(machine.node),
    checkOpenFiles(machine.openFiles, politeness.threads),
    checkClock(machine.now),
    ...(await checkDisk(machine, dir)),
  ]
}

/** The same as `engines` in package.json. */
const MIN_NODE = [22, 19] as const

function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isRecent = major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
  return isRecent
    ? ok('Node.js', version)
    : problem('Node.js', `${version} is too old`, `Install Node.js ${MIN_NODE.join('.')} or later.`)
}

function checkOpenFiles(limit: number | undefined, threads: number): Finding {
  // A connection per thread and as many idle ones, and the files of the databases.
  const needed = threads * 2 + 256
  if (limit === undefined) return ok('open files', 'the limit is not known on this system')
  const text = Number.isFinite(limit) ? formatNumber(limit) : 'unlimited'
  return limit >= needed
    ? ok('open files', text)
    : warning(
        'open files',
        `the limit is ${text}; ${threads} threads need about ${formatNumber(needed)}`,
        `Run ulimit -n ${needed} before the crawl, or use fewer --threads.`,
      )
}

/** This version did not exist before. */
const RELEASED_AT = Date.UTC(2026, 0, 1)

function checkClock(now: number): Finding {
  const time = new Date(now).toISOString()
  return now > RELEASED_AT
    ? ok('clock', time)
    : problem(
        'clock',
        `it shows ${time}, which is in the past`,
        'Set the clock of this machine, for example with NTP.',
      )
}

const LOW_BYTES = 1_000_000_000
const FULL_BYTES = 100_000_000
const LOW_FILES = 1_000

async function checkDisk(machine: MachineFacts, dir: string): Promise<Finding[]> {
  const { path, space } = await nearestFolder(machine, resolve(dir))
  if (space === undefined) return []
  const { freeBytes, totalBytes, freeFiles = Number.POSITIVE_INFINITY } = space
  const remedy = 'Free space, or move the crawl directory to another disk.'
  const text = `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} free at ${path}`
  const findings = [
    freeBytes < FULL_BYTES
      ? problem('disk', text, remedy)
      : freeBytes < LOW_BYTES || freeFiles < LOW_FILES
        ? warning('disk', freeFiles < LOW_FILES ? `${text}, ${freeFiles} more files possible` : text, remedy)
        : ok('disk', text),
  ]
  if (!(await machine.isWritable(path)))
    findings.push(
      problem('disk', `${path} is not writable`, 'Change its permissions, or use another directory.'),
    )
  return findings
}

/** The directory itself, or the nearest one above it that exists. */
async function nearestFolder(
  machine: MachineFacts,
  path: string,
): Promise<{ readonly path: string; readonly space?: FreeSpace }> {
  const space = await ifExists(machine.freeSpace(path))
  if (space !== undefined) return { path, space }
  return dirname(path) === path ? { path } : nearestFolder(machine, dirname(path))
}
