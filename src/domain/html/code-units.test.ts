import { describe, expect, it } from 'vitest'
import { codeUnitsOf, END_UNITS } from './code-units.ts'

describe('codeUnitsOf', () => {
  it.each(['', 'abc', 'é中\ud83d\ude00\0', '\ud83d'])('gives the units of %j', (html) => {
    const units = codeUnitsOf(html)
    expect([...units.subarray(0, html.length)]).toEqual([...html].flatMap((c) => unitsOf(c)))
  })

  it('has zeros behind the text, also where a longer one stood before', () => {
    codeUnitsOf('x'.repeat(100))
    expect([...codeUnitsOf('ab').subarray(2, 2 + END_UNITS)]).toEqual(new Array(END_UNITS).fill(0))
  })

  it('has room for giant pages, and does not keep it', () => {
    const usual = codeUnitsOf('a')
    const giant = codeUnitsOf('a'.repeat(3_000_000))
    expect(giant[2_999_999]).toBe(0x61)
    expect(giant.length).toBeGreaterThanOrEqual(3_000_000 + END_UNITS)
    expect(codeUnitsOf('a')).toBe(usual)
  })
})

function unitsOf(character: string): number[] {
  return Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
}
