import { constants, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCutZstd } from './zstd-frames.ts'

const CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
const TEXT = Buffer.from('Orb webs are made of silk. '.repeat(20_000))
/** Not compressible: raw blocks. */
const NOISE = Buffer.from(Uint32Array.from({ length: 50_000 }, (_, i) => Math.imul(i, 2654435761)).buffer)
/** Of two bytes. */
const SKIPPED = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2])

describe.each([
  ['text', zstdCompressSync(TEXT)],
  ['text with a checksum', zstdCompressSync(TEXT, CHECKSUM)],
  ['one repeated byte', zstdCompressSync(Buffer.alloc(300_000))],
  ['noise', zstdCompressSync(NOISE)],
  ['an empty text', zstdCompressSync(Buffer.alloc(0))],
  ['two frames, and one to skip', Buffer.concat([zstdCompressSync(TEXT), SKIPPED, zstdCompressSync(NOISE)])],
])('of %s', (_, frames) => {
  it('are complete', () => {
    expect(isCutZstd(frames)).toBe(false)
  })

  it('are cut without their end', () => {
    const ends = [1, 2, 3, 5, 8].map((missing) => frames.length - missing)
    for (const end of ends) expect(isCutZstd(frames.subarray(0, end))).toBe(true)
  })
})

it('leaves other bytes to the decoder', () => {
  expect(isCutZstd(Buffer.from('<html>a page that was never encoded'))).toBe(false)
  expect(isCutZstd(Buffer.concat([zstdCompressSync(TEXT), Buffer.from('some garbage after it')]))).toBe(false)
})

it('accepts any bytes', () => {
  const magic = zstdCompressSync(TEXT).subarray(0, 4)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      isCutZstd(Buffer.concat([magic, bytes]))
      isCutZstd(bytes)
    }),
  )
})
