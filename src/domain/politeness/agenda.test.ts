import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Agenda, AgendaRows } from './agenda.ts'
import { TimeHeap } from './time-heap.ts'

function timesInOrder(agenda: TimeHeap | Agenda): number[] {
  const times: number[] = []
  for (let host = agenda.first; host !== undefined; host = agenda.first) {
    times.push(agenda.earliest)
    agenda.delete(host)
  }
  return times
}

describe.each([
  ['TimeHeap', () => new TimeHeap()],
  ['Agenda', () => new Agenda()],
])('%s', (_, make) => {
  it('is empty at first', () => {
    const agenda = make()
    expect([agenda.size, agenda.first, agenda.earliest]).toEqual([0, undefined, Number.POSITIVE_INFINITY])
  })

  it('returns a thousand hosts in order of time', () => {
    const agenda = make()
    for (let host = 0; host < 1_000; host++) agenda.set(host, (host * 7_919) % 1_009)
    const times = timesInOrder(agenda)
    expect(times).toHaveLength(1_000)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it('keeps the order when a gap is filled from a branch with earlier times', () => {
    // In heap order: the root, its eight children, eight under the first child (100), two under the second (1).
    const times = [0, 100, 1, 2, 3, 4, 5, 6, 7, 101, 102, 103, 104, 105, 106, 107, 108, 10, 11]
    const agenda = make()
    for (const [host, time] of times.entries()) agenda.set(host, time)
    agenda.delete(times.indexOf(101))
    // Moved, not deleted: a deletion would fill gaps of its own and could put a misplaced host in the right place.
    for (const [host, time] of times.entries()) if (time < 11) agenda.set(host, 1_000)
    expect(agenda.earliest).toBe(11)
  })

  it('agrees with a plain map, whatever is set, moved and deleted', () => {
    // Many hosts for deep heaps; times from a small range for ties, from a large one for branches that differ.
    const change = fc.record({
      host: fc.nat(149),
      time: fc.oneof(fc.nat(40), fc.nat(10_000)),
      gone: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 300, size: 'max' }), (changes) => {
        const agenda = make()
        const plain = new Map<number, number>()
        for (const { host, time, gone } of changes) {
          if (gone && plain.size > 60) {
            agenda.delete(host)
            plain.delete(host)
          } else {
            agenda.set(host, time)
            plain.set(host, time)
          }
          const times = [...plain.values()]
          expect(agenda.earliest).toBe(Math.min(...times))
          expect(plain.get(agenda.first ?? -1)).toBe(agenda.earliest)
          expect(agenda.timeOf(host)).toBe(plain.get(host))
          expect(agenda.size).toBe(plain.size)
        }
        const times = [...plain.values()].sort((a, b) => a - b)
        expect(agenda.countUntil(20)).toBe(times.filter((time) => time <= 20).length)
        expect(timesInOrder(agenda)).toEqual(times)
      }),
      { numRuns: 30 },
    )
  })
})

it('removes a host from the other agendas with the same rows', () => {
  const rows = new AgendaRows()
  const [here, there] = [new Agenda(rows), new Agenda(rows)]
  here.set(1, 10)
  there.set(1, 20)
  here.delete(1)
  expect([here.size, here.timeOf(1), there.timeOf(1)]).toEqual([0, undefined, 20])
  rows.delete(1)
  expect(there.size).toBe(0)
})
