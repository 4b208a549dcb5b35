import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fingerprint64, fingerprint128, requestFingerprint } from './fingerprint.ts'

function numberOf(bytes: string | Uint8Array): bigint {
  const hex = createHash('md5').update(bytes).digest().reverse().toString('hex')
  return BigInt(`0x${hex}`)
}

it("gives the numbers that DuckDB's documentation gives for md5_number and md5_number_upper", () => {
  expect(fingerprint128('abc')).toBe(152195979970564155685860391459828531600n)
  expect(fingerprint64('abc')).toBe(12704604231530709392n)
})

it('is the MD5 of node:crypto, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 })),
      (text) => {
        expect(fingerprint128(text)).toBe(numberOf(text))
        expect(fingerprint64(text)).toBe(BigInt.asUintN(64, numberOf(text)))
      },
    ),
    { numRuns: 1_000 },
  )
})

it('pads texts of every length as it should, also after a longer one', () => {
  for (const length of [5_000, ...Array(200).keys(), 100_000, 3]) {
    for (const letter of ['a', 'é', '😀']) {
      const text = letter.repeat(length)
      expect(fingerprint128(text)).toBe(numberOf(text))
    }
  }
})

it("is the URL's for a GET without a body", () => {
  const url = 'http://h.example/'
  expect(requestFingerprint('get', url)).toBe(fingerprint128(url))
  expect(requestFingerprint('GET', url, '')).toBe(fingerprint128(url))
  expect(requestFingerprint('GET', url, new Uint8Array())).toBe(fingerprint128(url))
})

it('tells methods and bodies apart, and text from bytes not', () => {
  const url = 'http://h.example/'
  const requests = [
    requestFingerprint('GET', url),
    requestFingerprint('HEAD', url),
    requestFingerprint('POST', url),
    requestFingerprint('POST', url, 'a=1'),
    requestFingerprint('POST', url, 'a=2'),
    requestFingerprint('GET', url, 'a=1'),
  ]
  expect(new Set(requests).size).toBe(requests.length)
  expect(requestFingerprint('POST', url, new TextEncoder().encode('é'))).toBe(
    requestFingerprint('POST', url, 'é'),
  )
})

it('hashes METHOD url LF body, so that other tools can', () => {
  expect(requestFingerprint('post', 'http://h.example/', 'a=1')).toBe(numberOf('POST http://h.example/\na=1'))
})
