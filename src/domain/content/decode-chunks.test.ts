import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeChunks } from './decode-chunks.ts'
import { decodeText } from './decode-text.ts'

const KOI8 = Buffer.concat([
  Buffer.from('<?xml version="1.0" encoding="koi8-r"?><a>'),
  Buffer.alloc(2_000, 0xc1),
])
const BODIES = {
  'a declared charset': KOI8,
  'UTF-8 with a byte order mark': Buffer.from(`\ufeff<a>${'grün 😀 '.repeat(300)}`),
  'UTF-16 with a byte order mark': Buffer.from(`\ufeff<a>${'grün 😀 '.repeat(300)}`, 'utf16le'),
  'broken UTF-8': Buffer.concat([Buffer.from('é'.repeat(700)), Uint8Array.of(0xe2, 0x82)]),
  nothing: new Uint8Array(),
}

it.each(Object.entries(BODIES))('decodes %s as decodeText does, however it is cut', (_, body) => {
  const { text } = decodeText(body, { syntax: 'xml' })
  const decode = (chunks: Uint8Array[]) => [...decodeChunks(chunks, { syntax: 'xml' })].join('')
  expect(decode([body])).toBe(text)
  expect(decode([...body].map((byte) => Uint8Array.of(byte)))).toBe(text)
  fc.assert(
    fc.property(fc.array(fc.nat({ max: body.length }), { maxLength: 5 }), (cuts) => {
      const points = [0, ...cuts.sort((a, b) => a - b), body.length]
      expect(decode(points.slice(1).map((end, i) => body.subarray(points[i], end)))).toBe(text)
    }),
    { numRuns: 20 },
  )
})
