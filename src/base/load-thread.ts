import { enableCompileCache } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { ProgramLoader } from './program-loader.ts'

/** Loads the code of a thread of the built program, with the code cache of the command that started it, if it has one. */
export function loadThread(path: string): unknown {
  const folder = getEnvironmentData(CODE_CACHE_FOLDER)
  const dist = fileURLToPath(new URL('..', import.meta.url))
  if (typeof folder !== 'string') return new ProgramLoader(dist).load(path)
  enableCompileCache(folder)
  loader = new ProgramLoader(dist, { folder, name: basename(path, '.cjs') })
  loader.saveAfter(SAVE_AFTER_MS)
  return loader.load(path)
}

let loader: ProgramLoader | undefined
/** Short: a small crawl ends its threads soon, and flags of V8 change when the program has run for a second. */
const SAVE_AFTER_MS = 300

/** To be called after each task of a thread that does not return to its event loop. */
export function saveThreadCode(): void {
  loader?.saveIfDue()
}

/** Gives the threads of this process, which do not inherit it, the folder of the code cache. */
export function shareCodeCache(folder: string): void {
  setEnvironmentData(CODE_CACHE_FOLDER, folder)
}

const CODE_CACHE_FOLDER = 'orbweaver code cache'
