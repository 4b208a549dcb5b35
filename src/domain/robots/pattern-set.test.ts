import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PathPattern } from './path-pattern.ts'
import { PatternSet } from './pattern-set.ts'

const octets = (maxLength: number, ...units: string[]) =>
  fc.string({ unit: fc.constantFrom(...units), maxLength })
const pattern = fc
  .tuple(octets(8, 'a', 'a', 'b', '*', '*', '/'), fc.boolean())
  .map(([body, anchored]) => new PathPattern(`/${body}${anchored ? '$' : ''}`))
const path = octets(16, 'a', 'a', 'b', '/').map((rest) => `/${rest}`)

describe('PatternSet', () => {
  it('finds the matches of each pattern, for any number of patterns', () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 120 }), path, (patterns, text) => {
        const set = new PatternSet(patterns)
        const expected = [...patterns.keys()].filter((index) => patterns[index]?.matches(text))
        expect(set.matching(text)).toEqual(expected)
        expect(set.first(text)).toBe(expected[0] ?? -1)
      }),
      { numRuns: 2_000 },
    )
  })

  it('keeps apart patterns that join the same queue with different bounds', () => {
    const filler = Array.from({ length: 40 }, (_, i) => new PathPattern(`/*zz${i}z`))
    const late = new PathPattern('/xbbbbbbbb*a')
    const early = new PathPattern('/*x*a*c')
    const set = new PatternSet([...filler, late, early])
    expect(set.matching('/xabbbc')).toEqual([41])
    expect(set.matching('/xbbbbbbbbaac')).toEqual([40, 41])
  })

  it('can be used repeatedly', () => {
    const set = new PatternSet(Array.from({ length: 100 }, (_, i) => new PathPattern(`/*n${i}n*`)))
    for (let round = 0; round < 3; round++)
      for (const i of [7, 99, 0]) expect(set.first(`/a/n${i}n/b`)).toBe(i)
    expect(set.first('/n100n')).toBe(-1)
  })
})
