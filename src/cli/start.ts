import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileCacheFolder } from '../base/compile-cache-folder.ts'
import { shareCodeCache } from '../base/load-thread.ts'
import { ProgramLoader } from '../base/program-loader.ts'

/** The entry of `bin/orbweaver.js`. Imports nothing but what is needed to load the rest from the code cache. */
export async function start(args: readonly string[]): Promise<void> {
  const dist = fileURLToPath(new URL('..', import.meta.url))
  const folder = isCacheDisabled() ? undefined : compileCacheFolder(dist)
  const loader = new ProgramLoader(dist, folder === undefined ? undefined : { folder, name: runName(args) })
  if (folder !== undefined) {
    // For packages that are not bundled, and for spiders. NODE_COMPILE_CACHE enables a cache of the user.
    if (process.env['NODE_COMPILE_CACHE'] === undefined) enableCompileCache(folder)
    shareCodeCache(folder)
    loader.saveAfter(SAVE_AFTER_MS)
  }
  const { main } = loader.load('cli/main.cjs') as typeof import('./main.ts')
  await main(args)
}

/** Not later than flags of V8 change (`limitHeapGrowth`), because V8 refuses code of other flags; and V8 drops code that is not called for long. */
const SAVE_AFTER_MS = 1_000

/** NODE_V8_COVERAGE counts the calls of functions, which V8 cannot do for code from a cache. */
function isCacheDisabled(): boolean {
  return (
    process.env['NODE_DISABLE_COMPILE_CACHE'] !== undefined || process.env['NODE_V8_COVERAGE'] !== undefined
  )
}

/** The name of the code cache: one for each command, and one for all help. */
function runName(args: readonly string[]): string {
  const [command = 'help'] = args
  const isHelp = args.includes('--help') || args.includes('-h') || !/^[a-z][a-z-]*$/.test(command)
  return isHelp ? 'help' : command
}
