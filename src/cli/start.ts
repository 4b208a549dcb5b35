import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileCacheFolder } from './compile-cache.ts'

/** The entry of `bin/orbweaver.js`. Imports nothing but what is needed to load the rest from the compile cache. */
export async function start(args: readonly string[]): Promise<void> {
  // NODE_COMPILE_CACHE enables a cache of the user, NODE_DISABLE_COMPILE_CACHE none.
  if (
    process.env['NODE_COMPILE_CACHE'] === undefined &&
    process.env['NODE_DISABLE_COMPILE_CACHE'] === undefined
  ) {
    const folder = compileCacheFolder(fileURLToPath(new URL('..', import.meta.url)))
    if (folder !== undefined) enableCompileCache(folder)
  }
  const { main } = await import('./main.ts')
  await main(args)
}
