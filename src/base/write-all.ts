/** The part of a file handle that `writeAll` needs. */
export interface VectorWriter {
  writev(pieces: Uint8Array[]): Promise<{ readonly bytesWritten: number }>
}

/**
 * Writes all of `pieces`. A disk that becomes full takes the first bytes and reports their number as a success; only the next write fails.
 * @throws what `writev` throws; also when it makes no progress
 */
export async function writeAll(file: VectorWriter, pieces: readonly Uint8Array[]): Promise<void> {
  let rest = pieces.filter(({ byteLength }) => byteLength > 0)
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest)
    if (bytesWritten <= 0)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    rest = withoutFirst(rest, bytesWritten)
  }
}

function withoutFirst(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let skipped = 0
  for (const [i, piece] of pieces.entries()) {
    if (skipped + piece.byteLength > bytes) return [piece.subarray(bytes - skipped), ...pieces.slice(i + 1)]
    skipped += piece.byteLength
  }
  return []
}
