import { inflateRawSync } from 'node:zlib'
import { DocumentError } from './document-reader.ts'

interface ZipEntry {
  readonly method: number
  readonly encrypted: boolean
  readonly compressedBytes: number
  readonly headerAt: number
}

/** More are not listed. A presentation of 2,000 slides has about 8,000. */
const MAX_ENTRIES = 20_000
/** An entry may always expand to this size, whatever its ratio. */
const SMALL_BYTES = 4 * 1024 * 1024
/** Sheets of repeated cells reach about 100; a zip bomb has 1,000. */
const MAX_RATIO = 250

/**
 * The entries of a zip file in memory. Sizes that the file declares are not trusted: an entry is inflated up to the limits and no
 * further, and all entries that are read share one budget.
 */
export class ZipArchive {
  readonly #bytes: Buffer
  readonly #entries: ReadonlyMap<string, ZipEntry>
  #budget: number

  /** @throws DocumentError if there is no directory of entries, or it is too long */
  constructor(bytes: Uint8Array, maxExpandedBytes: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#entries = listEntries(this.#bytes)
    this.#budget = maxExpandedBytes
  }

  get names(): Iterable<string> {
    return this.#entries.keys()
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** `undefined` if there is no such entry. @throws DocumentError if it cannot be read */
  read(name: string): Buffer | undefined {
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    if (entry.encrypted) throw new DocumentError('encrypted', `${name} is encrypted`)
    const content = this.#expand(name, entry)
    this.#budget -= content.length
    return content
  }

  #expand(name: string, { method, compressedBytes, headerAt }: ZipEntry): Buffer {
    const start = dataStart(this.#bytes, headerAt)
    if (start === undefined) throw broken(`${name} is not where the directory says`)
    const data = this.#bytes.subarray(start, start + compressedBytes)
    const limit = Math.min(this.#budget, Math.max(SMALL_BYTES, data.length * MAX_RATIO))
    if (method === 0) {
      if (data.length > limit) throw tooLarge(name, limit)
      return data
    }
    if (method !== 8) throw broken(`${name} has the compression method ${method}, which is not supported`)
    try {
      return inflateRawSync(data, { maxOutputLength: Math.max(1, limit) })
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(name, limit)
      throw broken(`${name} cannot be decompressed`)
    }
  }
}

function tooLarge(name: string, limit: number): DocumentError {
  return new DocumentError('too-large', `${name} expands to more than ${limit} bytes`)
}

function broken(message: string): DocumentError {
  return new DocumentError('broken', message)
}

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30

function listEntries(bytes: Buffer): Map<string, ZipEntry> {
  const end = endOfDirectory(bytes)
  if (end === undefined) throw broken('the directory at the end of the zip file is missing')
  const entries = new Map<string, ZipEntry>()
  let at = bytes.readUInt32LE(end + 16)
  while (at + ENTRY_BYTES <= end && bytes.readUInt32LE(at) === ENTRY) {
    if (entries.size === MAX_ENTRIES)
      throw new DocumentError('too-large', `more than ${MAX_ENTRIES} entries in the zip file`)
    const nameEnd = at + ENTRY_BYTES + bytes.readUInt16LE(at + 28)
    const extraEnd = nameEnd + bytes.readUInt16LE(at + 30)
    const name = bytes.toString('utf8', at + ENTRY_BYTES, Math.min(nameEnd, end))
    entries.set(cleanName(name), {
      method: bytes.readUInt16LE(at + 10),
      encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      compressedBytes: bytes.readUInt32LE(at + 20),
      headerAt: bytes.readUInt32LE(at + 42),
      ...largeValues(bytes, at, nameEnd, Math.min(extraEnd, end)),
    })
    at = extraEnd + bytes.readUInt16LE(at + 32)
  }
  return entries
}

/** Some writers use backslashes, or paths from a root. */
function cleanName(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '')
}

/** The position of the last record, which a comment of up to 65,535 bytes may follow. */
function endOfDirectory(bytes: Buffer): number | undefined {
  for (let at = bytes.length - END_BYTES; at >= Math.max(0, bytes.length - END_BYTES - 0xffff); at--) {
    if (bytes[at] === 0x50 && bytes.readUInt32LE(at) === END) return at
  }
  return undefined
}

const IN_EXTRA = 0xffffffff

/** Zip64: values that are 0xffffffff in the entry are in an extra field. Some writers use it for files of any size. */
function largeValues(bytes: Buffer, entryAt: number, from: number, to: number): Partial<ZipEntry> {
  const isLarge = (offset: number) => bytes.readUInt32LE(entryAt + offset) === IN_EXTRA
  if (!isLarge(20) && !isLarge(42)) return {}
  for (let at = from; at + 4 <= to; at += 4 + bytes.readUInt16LE(at + 2)) {
    if (bytes.readUInt16LE(at) !== 1) continue
    let value = at + 4
    const next = () => {
      value += 8
      return value <= bytes.length ? Number(bytes.readBigUInt64LE(value - 8)) : 0
    }
    if (isLarge(24)) next()
    return {
      ...(isLarge(20) && { compressedBytes: next() }),
      ...(isLarge(42) && { headerAt: next() }),
    }
  }
  return {}
}

function dataStart(bytes: Buffer, headerAt: number): number | undefined {
  if (headerAt + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(headerAt) !== LOCAL) return undefined
  return headerAt + LOCAL_BYTES + bytes.readUInt16LE(headerAt + 26) + bytes.readUInt16LE(headerAt + 28)
}
