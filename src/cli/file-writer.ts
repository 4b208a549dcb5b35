import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'

/** Writes to a file no faster than the disk takes it. */
export type WriteData = (data: string | Uint8Array) => Promise<void>

/**
 * Writes a file whole or not at all: what stood there before stays until `work` is done. Devices and pipes, such as /dev/stdout, are
 * written to as they are.
 */
export async function writeFileWhole<T>(file: string, work: (write: WriteData) => Promise<T>): Promise<T> {
  const there = await stat(file).catch(() => undefined)
  const isPlain = there === undefined || there.isFile()
  const target = isPlain ? `${file}.tmp` : file
  const stream = createWriteStream(target)
  const done = finished(stream)
  // Who writes or closes hears of it; until then it must not end the process.
  done.catch(() => {})
  try {
    const result = await work(async (data) => {
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), done])
    })
    stream.end()
    await done
    if (isPlain) await rename(target, file)
    return result
  } catch (error) {
    stream.destroy()
    // It may still be about to make the file.
    await done.catch(() => {})
    if (isPlain) await rm(target, { force: true }).catch(() => {})
    throw error
  }
}
