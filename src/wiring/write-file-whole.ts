import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'
import { diskFiles, isDescriptor } from '../base/durable-files.ts'

/** Writes to a file; resolves when more data may be written. */
export type WriteData = (data: string | Uint8Array) => Promise<void>

/**
 * Writes a file whole or not at all: the old file stays until `work` is done and the new one is on the disk. A symbolic link is replaced, not
 * followed. Devices and pipes, such as /dev/stdout, are written to directly.
 */
export async function writeFileWhole<T>(file: string, work: (write: WriteData) => Promise<T>): Promise<T> {
  const there = await stat(file).catch(() => undefined)
  const isPlain = !isDescriptor(file) && (there === undefined || there.isFile())
  // An unguessable name that must not exist yet: no symbolic link is followed, no file of the user is replaced.
  const target = isPlain ? `${file}.${randomUUID()}.tmp` : file
  const stream = createWriteStream(target, isPlain ? { flags: 'wx', flush: true } : {})
  const done = finished(stream)
  // The next write or the end throws the error; until then it must not be unhandled.
  done.catch(() => {})
  try {
    const result = await work(async (data) => {
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), done])
    })
    stream.end()
    await done
    if (isPlain) {
      await diskFiles.rename(target, file)
      await diskFiles.sync(dirname(file))
    }
    return result
  } catch (error) {
    stream.destroy()
    // The file may still be created until then.
    await done.catch(() => {})
    if (isPlain) await rm(target, { force: true }).catch(() => {})
    throw error
  }
}
