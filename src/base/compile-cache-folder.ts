import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isOnlyOurs } from './code-cache-file.ts'

/**
 * The folder of the compiled code of one installation of this program, or `undefined` if there cannot be one, or if another user can
 * write to it. Each installation and each version of Node.js has its own; the oldest are deleted when a new one is created.
 * @param installation the folder of the program
 */
export function compileCacheFolder(
  installation: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const all = join(cachesOf(env), 'orbweaver', 'compile-cache')
  const key = createHash('md5').update(`${installation}\n${process.version}\n${process.arch}`).digest('hex')
  const folder = join(all, key)
  try {
    // The first folder that had to be created; only the user may write to it, because its code is run.
    const created = mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (created !== undefined) deleteOldest(all)
    return isOnlyOurs(folder) ? folder : undefined
  } catch {
    // No home, or one that cannot be written: the program starts without.
    return undefined
  }
}

const MAX_FOLDERS = 8

function deleteOldest(all: string): void {
  const folders = readdirSync(all).map((name) => join(all, name))
  const createdAt = new Map(folders.map((folder) => [folder, statSync(folder).mtimeMs]))
  folders.sort((a, b) => (createdAt.get(b) ?? 0) - (createdAt.get(a) ?? 0))
  for (const folder of folders.slice(MAX_FOLDERS)) rmSync(folder, { recursive: true, force: true })
}

/** The caches of the user, where the system has them. */
function cachesOf(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === 'win32' && env['LOCALAPPDATA']) return env['LOCALAPPDATA']
  if (env['XDG_CACHE_HOME']) return env['XDG_CACHE_HOME']
  return join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
}
