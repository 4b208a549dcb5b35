import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { ifExists } from '../../base/if-exists.ts'
import { frameEnd, nextFrame } from '../../base/zstd-frames.ts'
import type {
  FlushEntry,
  LogBatch,
  LogEntry,
  RequestLogPart,
} from '../../domain/certificate/request-log-entry.ts'
import { REQUEST_LOG_FOLDER } from './request-log.ts'

/** The request logs of a crawl directory, oldest first; empty if there are none. Works while a crawl writes them. */
export async function requestLogFiles(directory: string): Promise<RequestLogPart[]> {
  const folder = join(directory, REQUEST_LOG_FOLDER)
  const names = (await ifExists(readdir(folder))) ?? []
  return names
    .flatMap((name) => {
      const startedAt = startTimeOf(name)
      return startedAt === undefined ? [] : [new RequestLogFile(join(folder, name), name, startedAt)]
    })
    .sort((a, b) => a.startedAt - b.startedAt || (a.name < b.name ? -1 : 1))
}

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)-\d+-[0-9a-f]+\.jsonl\.zst$/

function startTimeOf(name: string): number | undefined {
  const match = NAME.exec(name)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, rest] = match
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${rest}`)
  return Number.isNaN(time) ? undefined : time
}

class RequestLogFile implements RequestLogPart {
  readonly name: string
  readonly startedAt: number
  damagedBytes = 0
  readonly #path: string

  constructor(path: string, name: string, startedAt: number) {
    this.#path = path
    this.name = name
    this.startedAt = startedAt
  }

  async *batches(): AsyncGenerator<LogBatch> {
    try {
      yield* this.#read()
    } catch (error) {
      // Old logs may be deleted at any time.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  async *#read(): AsyncGenerator<LogBatch> {
    this.damagedBytes = 0
    let bytes: Buffer = Buffer.alloc(0)
    for await (const chunk of createReadStream(this.#path, { highWaterMark: CHUNK_BYTES })) {
      bytes = bytes.length === 0 ? (chunk as Buffer) : Buffer.concat([bytes, chunk as Buffer])
      bytes = bytes.subarray(yield* this.#complete(bytes))
    }
    // What remains is a frame that was being written, unless a whole frame follows: then the length in its header was damaged.
    while (bytes.length > 0) {
      const next = nextFrame(bytes, 1)
      if (next === -1) return
      this.damagedBytes += next
      bytes = bytes.subarray(next)
      bytes = bytes.subarray(yield* this.#complete(bytes))
    }
  }

  /** The complete frames of `bytes`. Returns where the first incomplete one starts. */
  *#complete(bytes: Buffer): Generator<LogBatch, number> {
    let at = 0
    while (at < bytes.length) {
      const end = frameEnd(bytes, at)
      if (end === 'incomplete') return at
      const batch = end === 'invalid' ? undefined : batchIn(bytes.subarray(at, end))
      if (batch !== undefined && typeof end === 'number') {
        yield batch
        at = end
      } else {
        const next = nextFrame(bytes, at + 1)
        // The last three bytes may be the start of a frame.
        const skipTo = next === -1 ? Math.max(at + 1, bytes.length - 3) : next
        this.damagedBytes += skipTo - at
        at = skipTo
      }
    }
    return at
  }
}

const CHUNK_BYTES = 1024 * 1024
/** Against a frame that was made to exhaust the memory. */
const MAX_BATCH_BYTES = 256 * 1024 * 1024

/** `undefined`: the frame is damaged. Lines that cannot be read are left out. */
function batchIn(frame: Buffer): LogBatch | undefined {
  let text: string
  try {
    text = zstdDecompressSync(frame, { maxOutputLength: MAX_BATCH_BYTES }).toString('utf8')
  } catch {
    return undefined
  }
  const entries: LogEntry[] = []
  let flush: FlushEntry | undefined
  for (const line of text.split('\n')) {
    const entry = line === '' ? undefined : entryIn(line)
    if (entry?.type === 'flush') flush = entry
    else if (entry !== undefined) entries.push(entry)
  }
  return flush && { entries, flush }
}

/** Checks what the readers depend on; a log may have been edited. */
function entryIn(line: string): LogEntry | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined
  const entry = value as Record<string, unknown>
  const numbers = NUMBERS[String(entry['type'])]
  if (numbers === undefined || !numbers.every((name) => Number.isFinite(entry[name]))) return undefined
  const needsUrl = entry['type'] === 'request' || entry['type'] === 'open' || entry['type'] === 'disallowed'
  if (needsUrl && typeof entry['url'] !== 'string') return undefined
  // The line was checked as far as the readers depend on it.
  return value as LogEntry
}

const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  process: ['startedAt'],
  limits: ['id', 'startGapMs', 'endGapMs', 'maxInFlight'],
  robots: ['id'],
  request: ['start'],
  open: ['id', 'start'],
  disallowed: ['at'],
  lost: ['from', 'to', 'requests'],
  flush: ['at', 'wall'],
}
