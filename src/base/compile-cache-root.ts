import { getCompileCacheDir } from 'node:module'
import { basename, dirname } from 'node:path'

/** The folder that was given to `enableCompileCache` in this thread, for other threads, which do not inherit it. `undefined`: no compile cache. */
export function compileCacheRoot(): string | undefined {
  const folder = getCompileCacheDir()
  if (folder === undefined) return undefined
  // Node.js uses a folder in it, named after its version.
  return basename(folder).startsWith(process.version) ? dirname(folder) : folder
}
