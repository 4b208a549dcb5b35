import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideHosts, SegmentFiller, type SegmentLimits } from './fill-segments.ts'

/** `a1` went to the first segment, `ax` was left out; it ends when every segment is full. */
function deal(hosts: string, limits: SegmentLimits): string {
  const filler = new SegmentFiller(limits)
  const dealt: string[] = []
  for (const host of hosts.split(' ')) {
    if (filler.full) break
    const segment = filler.place(host)
    dealt.push(host + (segment === undefined ? 'x' : segment + 1))
  }
  return dealt.join(' ')
}

describe('SegmentFiller', () => {
  it.each([
    [{ topN: 4, maxNumSegments: 1, maxCount: 2 }, 'a a a b b a c', 'a1 a1 ax b1 b1'],
    [{ topN: 3, maxNumSegments: 2 }, 'a a a b b a c', 'a1 a1 a1 b2 b2 a2'],
    [{ topN: 3, maxNumSegments: 2, maxCount: 2 }, 'a a a b b a c', 'a1 a1 a2 b1 b2 a2'],
    [{ topN: 100, maxNumSegments: 3, maxCount: 1 }, 'a a a b b a c', 'a1 a2 a3 b1 b2 ax c1'],
    [{ topN: 3, maxNumSegments: 2, maxCount: 2 }, 'a a a a a a', 'a1 a1 a2 a2 ax ax'],
  ])('fills as Nutch does: %j', (limits, hosts, dealt) => {
    expect(deal(hosts, limits)).toBe(dealt)
  })

  it('gives a host no more than its share of a segment it came to because the one before was full', () => {
    expect(deal('x y z a a a a', { topN: 3, maxNumSegments: 2, maxCount: 2 })).toBe('x1 y1 z1 a2 a2 ax ax')
  })

  it('never puts more than topN URLs into the last segment', () => {
    expect(deal('a b c a b c d', { topN: 2, maxNumSegments: 2, maxCount: 1 })).toBe('a1 b1 c2 a2')
  })

  it('takes all without limits', () => {
    expect(deal('a a b', {})).toBe('a1 a1 b1')
  })

  it('keeps every limit, and leaves nothing out that still had room', () => {
    const host = fc.constantFrom('a', 'b', 'c', 'd')
    const small = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(fc.array(host, { maxLength: 60 }), small, small, small, (hosts, topN, segments, cap) => {
        const filler = new SegmentFiller({ topN, maxNumSegments: segments, maxCount: cap })
        const counts = new Map<string, number>()
        const add = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
        for (const key of hosts) {
          const segment = filler.place(key)
          if (segment === undefined) {
            // Only a host with its share of the last segment, or a full last segment, is a reason.
            const last = segments - 1
            expect((counts.get(`${key} ${last}`) ?? 0) === cap || counts.get(`size ${last}`) === topN).toBe(
              true,
            )
          } else {
            add(`${key} ${segment}`)
            add(`size ${segment}`)
          }
        }
        for (const [key, count] of counts)
          expect(count).toBeLessThanOrEqual(key.startsWith('size') ? topN : cap)
      }),
      { numRuns: 200 },
    )
  })
})

it('puts each host into one part and keeps the parts about equal', () => {
  const sizes = new Map([
    ['a', 1],
    ['b', 5],
    ['c', 3],
    ['d', 2],
  ])
  expect(Object.fromEntries(divideHosts(sizes, 2))).toEqual({ b: 0, c: 1, d: 1, a: 0 })
  expect(divideHosts(new Map([...sizes].reverse()), 2)).toEqual(divideHosts(sizes, 2))
})

it('puts all keys into one part if there is only one', () => {
  expect([
    ...divideHosts(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      1,
    ).values(),
  ]).toEqual([0, 0])
})
