import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

/** Writes to a stream no faster than it takes it. */
export interface FileWriter {
  write(data: string | Uint8Array): Promise<void>
  /** Fulfilled when everything is written. */
  close(): Promise<void>
}

export function fileWriter(stream: Writable): FileWriter {
  const done = finished(stream)
  // Who writes or closes hears of it; until then it must not end the process.
  done.catch(() => {})
  return {
    async write(data) {
      if (!stream.write(data)) await Promise.race([once(stream, 'drain'), done])
    },
    close() {
      stream.end()
      return done
    },
  }
}
