import { brotliCompressSync, constants, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'

const MB = 1024 * 1024

/** Bodies of some KB that unpack to 64 MB of one letter, or more where it says so. */
export const bombs = {
  gzip: (): Buffer => gzipOf(64),
  deflate: (): Buffer => Buffer.concat([Buffer.of(0x78, 0x9c), ...pieces(64)]),
  /** 16 MB, because brotli cannot be pieced together. */
  br: (): Buffer => brotliCompressSync(Buffer.alloc(16 * MB, 'a'), QUICKLY),
  zstd: (): Buffer => Buffer.concat(Array<Buffer>(64).fill(zstdCompressSync(Buffer.alloc(MB, 'a')))),
  gzipInGzip: (): Buffer => gzipSync(gzipOf(64)),
  /** 10 GB in 10 MB. */
  tenGigabytes: (): Buffer => gzipOf(10 * 1024),
}

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Without an end and a checksum: no client should read that far. */
function gzipOf(megabytes: number): Buffer {
  return Buffer.concat([Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255), ...pieces(megabytes)])
}

/** A piece of a deflate stream that can be repeated, because it ends on a whole byte and refers to nothing before it. */
function pieces(megabytes: number): Buffer[] {
  const piece = deflateRawSync(Buffer.alloc(MB, 'a'), { finishFlush: constants.Z_FULL_FLUSH })
  return Array<Buffer>(megabytes).fill(piece)
}
