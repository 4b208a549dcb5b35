import { truncate } from 'node:fs/promises'
import { type DurableFiles, diskFiles } from '../src/base/durable-files.ts'

export type DiskFailure = 'short write' | 'write' | 'sync' | 'rename'

/** A disk on which the nth operation of one kind fails, and all later ones of that kind. */
export function failingDisk(failure: DiskFailure, n = 1): DurableFiles {
  let seen = 0
  const fails = (kind: DiskFailure): boolean => kind === failure && ++seen >= n
  return {
    write: async (path, pieces, mode) => {
      await diskFiles.write(path, pieces, mode)
      if (fails('short write')) {
        // What a full disk does: the first bytes are there, then the write fails.
        await truncate(path, 100)
        throw failed('ENOSPC', 'no space left on device, write')
      }
      if (fails('write')) throw failed('EIO', 'i/o error, write')
    },
    sync: async (path) => {
      if (fails('sync')) throw failed('EIO', 'i/o error, fsync')
      await diskFiles.sync(path)
    },
    rename: async (from, to) => {
      if (fails('rename')) throw failed('EIO', 'i/o error, rename')
      await diskFiles.rename(from, to)
    },
  }
}

function failed(code: string, text: string): Error {
  return Object.assign(new Error(`${code}: ${text}`), { code })
}
