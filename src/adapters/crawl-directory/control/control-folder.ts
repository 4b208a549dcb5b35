import { randomUUID } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The folder with the control socket of a crawl directory. Only its owner can open it, so that the socket needs no permissions of its own. */
export function controlFolder(directory: string): string {
  return join(resolve(directory), '.control')
}

/**
 * Creates the folder, without what a killed process left in it.
 * @throws when the file system cannot keep other users out of it
 */
export function makeControlFolder(directory: string): string {
  const folder = controlFolder(directory)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  chmodSync(folder, 0o700)
  const problem = folderProblem(folder)
  if (problem !== undefined) throw new Error(problem)
  return folder
}

/** Why a folder must not be used; `undefined` when it belongs to this user alone. */
export function folderProblem(folder: string): string | undefined {
  const stats: Stats | undefined = lstatSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return `${folder} does not exist`
  if (!stats.isDirectory()) return `${folder} is not a folder`
  // Windows has no such modes; the pipe belongs to the user who made it.
  if (process.getuid === undefined) return undefined
  if (stats.uid !== process.getuid()) return `${folder} belongs to another user (uid ${stats.uid})`
  return (stats.mode & 0o077) === 0 ? undefined : `other users can open ${folder}`
}

/** The address for a new server in a control folder. */
export function newAddress(folder: string): string {
  if (process.platform !== 'win32') return join(folder, SOCKET)
  // Pipes have no folder: the name cannot be guessed, and stands in a file of the folder.
  const pipe = `\\\\.\\pipe\\orbweaver-${randomUUID()}`
  writeFileSync(join(folder, PIPE), pipe)
  return pipe
}

/** The address of the server in a control folder. @throws ENOENT */
export function addressIn(folder: string): string {
  return process.platform === 'win32' ? readFileSync(join(folder, PIPE), 'utf8') : join(folder, SOCKET)
}

/**
 * Calls `use` with a path of `address` that is short enough for a socket: the system's limit is about 100 bytes, so a longer one is reached
 * through a symbolic link in a private folder, which exists during the call only.
 */
export async function withShortAddress<T>(address: string, use: (short: string) => Promise<T>): Promise<T> {
  if (process.platform === 'win32' || Buffer.byteLength(address) <= MAX_ADDRESS_BYTES) return use(address)
  const shortcut = await mkdtemp(join(tmpdir(), 'orbweaver-'))
  try {
    await symlink(join(address, '..'), join(shortcut, 'c'))
    return await use(join(shortcut, 'c', SOCKET))
  } finally {
    await rm(shortcut, { recursive: true, force: true })
  }
}

const SOCKET = 'socket'
const PIPE = 'pipe'
/** Of `sun_path`: 104 bytes on macOS, 108 on Linux, the final NUL included. */
const MAX_ADDRESS_BYTES = 100
