import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gunzip } from './gunzip.ts'

/** Does not compress, so that half the data is half the text. */
const TEXT = Array.from({ length: 2_000 }, (_, i) => (i * 2_654_435_761) % 4_294_967_296).join(' ')
const DATA = gzipSync(TEXT)
const MAX_BYTES = 1_000_000

it('opens what is whole', () => {
  expect(text(DATA)).toEqual({ text: TEXT, truncated: false })
  expect(text(Buffer.concat([DATA, DATA]))).toEqual({ text: TEXT + TEXT, truncated: false })
})

it('gives what a cut stream has', () => {
  const cut = text(DATA.subarray(0, DATA.length / 2))
  expect(cut?.truncated).toBe(true)
  expect(cut?.text.length).toBeGreaterThan(TEXT.length / 3)
  expect(TEXT.startsWith(cut?.text ?? '-')).toBe(true)
})

it('gives everything when only the checksum is wrong', () => {
  const damaged = Buffer.from(DATA)
  damaged.writeUInt32LE(0, DATA.length - 8)
  expect(text(damaged)).toEqual({ text: TEXT, truncated: true })
})

it('gives a part from the start when the middle is damaged', () => {
  const damaged = Buffer.from(DATA)
  damaged.fill(0xff, 8_000, 8_400)
  const part = text(damaged)
  expect(part?.truncated).toBe(true)
  expect(part?.text.length).toBeGreaterThan(100)
})

it('never gives more than was allowed', () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000))
  const opened = gunzip(bomb, 100_000)
  expect(opened?.truncated).toBe(true)
  expect(opened?.bytes.length).toBeGreaterThan(1_000)
  expect(opened?.bytes.length).toBeLessThanOrEqual(100_000)
})

it('never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (noise) => {
      gunzip(noise, 1_000)
      gunzip(Buffer.concat([DATA.subarray(0, 20), noise]), 1_000)
    }),
  )
  expect(gunzip(new Uint8Array(), 1_000)).toBeUndefined()
})

function text(data: Uint8Array): { text: string; truncated: boolean } | undefined {
  const opened = gunzip(data, MAX_BYTES)
  return opened && { text: Buffer.from(opened.bytes).toString(), truncated: opened.truncated }
}
