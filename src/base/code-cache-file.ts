import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { threadId } from 'node:worker_threads'
import { crc32 } from 'node:zlib'

/** Compiled code of the files of a program, as V8 wrote it. */
export interface CodeCache {
  /** How many runs have added their functions. */
  readonly runs: number
  /** By the name of the file. */
  readonly files: ReadonlyMap<string, CompiledFile>
}

export interface CompiledFile {
  /** CRC-32 of the source. V8 compares only its length. */
  readonly sourceCrc: number
  readonly code: Buffer
}

/** Reads a cache. `undefined` if there is none, if it is damaged, or if another user can change it: V8 runs it as it is. */
export function readCodeCache(path: string): CodeCache | undefined {
  try {
    if (!isOnlyOurs(path)) return undefined
    return decode(readFileSync(path))
  } catch {
    return undefined
  }
}

/** Replaces a cache in one step, so that a process that reads it at the same time has the old or the new one. Does nothing if that fails. */
export function writeCodeCache(path: string, cache: CodeCache): void {
  const temporary = `${path}.${process.pid}-${threadId}`
  try {
    writeFileSync(temporary, encode(cache), { mode: 0o600 })
    renameSync(temporary, path)
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** Whether a file or folder belongs to this user, and no other user may write to it. Windows has no such bits; there, folders of users are private. */
export function isOnlyOurs(path: string): boolean {
  const { uid, mode } = statSync(path)
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

interface Header {
  readonly runs: number
  readonly files: readonly {
    readonly name: string
    readonly sourceCrc: number
    readonly bytes: number
  }[]
}

// A file: magic number, CRC-32 of all bytes after it, length of the header, the header as JSON, then the code of each file. V8 reads code
// at a multiple of 8 bytes in place; other code it copies.
const MAGIC = endianness() === 'LE' ? 0x4f574331 : 0x4f574332
const PREFIX_BYTES = 12

function encode({ runs, files }: CodeCache): Buffer {
  const header: Header = {
    runs,
    files: Array.from(files, ([name, { sourceCrc, code }]) => ({ name, sourceCrc, bytes: code.length })),
  }
  const json = Buffer.from(JSON.stringify(header))
  const start = aligned(PREFIX_BYTES + json.length)
  const parts: Buffer[] = [Buffer.alloc(start)]
  for (const { code } of files.values()) parts.push(code, Buffer.alloc(aligned(code.length) - code.length))
  const all = Buffer.concat(parts)
  json.copy(all, PREFIX_BYTES)
  all.writeUInt32LE(json.length, 8)
  all.writeUInt32LE(crc32(all.subarray(8)), 4)
  all.writeUInt32LE(MAGIC, 0)
  return all
}

function decode(all: Buffer): CodeCache | undefined {
  if (all.length < PREFIX_BYTES || all.readUInt32LE(0) !== MAGIC) return undefined
  if (crc32(all.subarray(8)) !== all.readUInt32LE(4)) return undefined
  const headerBytes = all.readUInt32LE(8)
  const header = JSON.parse(all.toString('utf8', PREFIX_BYTES, PREFIX_BYTES + headerBytes)) as Header
  const files = new Map<string, CompiledFile>()
  let start = aligned(PREFIX_BYTES + headerBytes)
  for (const { name, sourceCrc, bytes } of header.files) {
    files.set(name, { sourceCrc, code: all.subarray(start, start + bytes) })
    start += aligned(bytes)
  }
  return { runs: header.runs, files }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8
}
