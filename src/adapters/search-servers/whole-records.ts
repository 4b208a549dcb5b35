import type { FileHandle } from 'node:fs/promises'

/** The end of the last line that has one, in bytes; searched from the end of the file. */
export async function endOfLastLine(file: FileHandle, bytes: number): Promise<number> {
  for (let end = bytes; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const newline = (await readAt(file, start, end - start)).lastIndexOf(NEWLINE)
    if (newline >= 0) return start + newline + 1
  }
  return 0
}

/** The end of the last row of a CSV file, in bytes. Rows may hold line ends in quotes, so the whole file is read. */
export async function endOfLastRow(file: FileHandle, bytes: number): Promise<number> {
  let inQuotes = false
  let end = 0
  for (let start = 0; start < bytes; start += CHUNK_BYTES) {
    const chunk = await readAt(file, start, Math.min(CHUNK_BYTES, bytes - start))
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      // A doubled quote closes and opens again.
      if (byte === QUOTE) inQuotes = !inQuotes
      else if (byte === NEWLINE && !inQuotes) end = start + i + 1
    }
  }
  return end
}

/** Fewer bytes than `length` where the file ends. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

const CHUNK_BYTES = 1 << 20
const NEWLINE = 0x0a
const QUOTE = 0x22
