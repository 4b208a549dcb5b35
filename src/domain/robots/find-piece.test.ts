import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findPiece } from './find-piece.ts'

const twoLetters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength })

it('finds short pieces where indexOf does', () => {
  fc.assert(
    fc.property(twoLetters(0, 60), twoLetters(1, 4), fc.nat(60), (text, piece, from) => {
      expect(findPiece(text, piece, from)).toBe(text.indexOf(piece, from))
    }),
  )
})

it('finds long, self-similar pieces where indexOf does', () => {
  const long = fc.tuple(twoLetters(1, 5), fc.nat(3), twoLetters(0, 3))
  fc.assert(
    fc.property(
      long,
      twoLetters(0, 9),
      twoLetters(0, 9),
      fc.nat(12),
      ([unit, extra, tail], head, suffix, from) => {
        const piece = unit.repeat(Math.ceil(201 / unit.length)) + tail
        const text = head + unit.repeat(extra) + piece.slice(0, -1) + piece + suffix
        expect(findPiece(text, piece, from)).toBe(text.indexOf(piece, from))
        expect(findPiece(text.slice(0, -suffix.length - 1), piece, from)).toBe(
          text.slice(0, -suffix.length - 1).indexOf(piece, from),
        )
      },
    ),
  )
})

it('reads each character of a hostile text about once', () => {
  // The engine's own search takes many seconds for this one.
  const piece = `${'a'.repeat(250_000)}b${'a'.repeat(250_000)}`
  expect(findPiece('a'.repeat(2_000_000), piece, 0)).toBe(-1)
})
