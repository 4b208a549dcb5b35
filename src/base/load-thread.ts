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
  const loader = new ProgramLoader(dist, { folder, name: basename(path, '.cjs') })
  loader.saveLater()
  return loader.load(path)
}

/** Gives the threads of this process, which do not inherit it, the folder of the code cache. */
export function shareCodeCache(folder: string): void {
  setEnvironmentData(CODE_CACHE_FOLDER, folder)
}

const CODE_CACHE_FOLDER = 'orbweaver code cache'
