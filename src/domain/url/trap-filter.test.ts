import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { CandidateUrl } from './candidate-url.ts'
import { type TrapOptions, trapFilter } from './trap-filter.ts'

const clock = new FakeClock(Date.UTC(2026, 10, 15))

function trap(tail: string, options?: TrapOptions): string | undefined {
  return trapFilter(clock, options).judge(new CandidateUrl(`http://h.example${tail}`))?.rule
}

describe('finds paths that go round: it', () => {
  it.each([
    ['/a/b/a/b/a/b', 'trap: path repeats /a/b'],
    ['/x/a/b/a/b/a/b/', 'trap: path repeats /a/b'],
    ['/a/a/a', 'trap: path repeats /a'],
    ['/a/b/c/a/b/c/a/b/c/d', 'trap: path repeats /a/b/c'],
    ['/a/x/a/y/a/', 'trap: path repeats /a'],
  ])('rejects %s', (tail, rule) => expect(trap(tail)).toBe(rule))
  it.each(['/', '/a', '/a/a/', '/a/b/a/b/', '/a/b/a/b/c/a', '/a/b/c/a/b/c', '/a/b/b/a/c/a'])(
    'lets %s pass',
    (tail) => expect(trap(tail)).toBeUndefined(),
  )
})

describe('finds endless calendars: it', () => {
  it.each([
    ['/9999/12/31', 'trap: calendar at the year 9999'],
    ['/diary/2031-05-07.html', 'trap: calendar at the year 2031'],
    ['/calendar/2031/5', 'trap: calendar at the year 2031'],
    ['/view?month=2031-05', 'trap: calendar at the year 2031'],
    ['/view?a=1&year=2031', 'trap: calendar at the year 2031'],
    ['/2024/01/02/?date=9999-01-01', 'trap: calendar at the year 9999'],
    ['/calendar/1066-10', 'trap: calendar at the year 1066'],
    ['/2024/01/02/more/2024/01/03/', 'trap: a date below a date'],
  ])('rejects %s', (tail, rule) => expect(trap(tail)).toBe(rule))
  it.each([
    '/2024/01/02/title',
    '/2024/01/02/report-2024-01-03',
    '/2029/01/02',
    '/1666-09-02/fire',
    '/topic/4512/10',
    '/events/4512',
    '/product/4500-10',
    '/?id=9999',
    '/a99991231',
    '/9999/13/01',
    '/calendar/product-12345-01',
  ])('lets %s pass', (tail) => expect(trap(tail)).toBeUndefined())
  it('goes with the time and with its options', () => {
    expect(trap('/2030/01/01')).toBe('trap: calendar at the year 2030')
    expect(trap('/2030/01/01', { maxYearsAhead: 4 })).toBeUndefined()
    expect(trap('/1999/01/01', { earliestYear: 2000 })).toBe('trap: calendar at the year 1999')
    const later = trapFilter(new FakeClock(Date.UTC(2027, 0, 1)))
    expect(later.judge(new CandidateUrl('http://h.example/2030/01/01'))).toBeUndefined()
  })
})

describe('finds explosions: it', () => {
  it('counts path segments', () => {
    const path = Array.from({ length: 21 }, (_, i) => `/s${i}`).join('')
    expect(trap(path)).toBe('trap: more than 20 path segments')
    expect(trap(path, { maxPathSegments: 21 })).toBeUndefined()
  })
  it('counts parameters', () => {
    const query = Array.from({ length: 31 }, (_, i) => `p${i}=1`).join('&')
    expect(trap(`/?${query}`)).toBe('trap: more than 30 parameters')
    expect(trap(`/?${query}`, { maxParameters: 31 })).toBeUndefined()
  })
  it('counts parameters of one name', () => {
    const query = Array.from({ length: 7 }, (_, i) => `f=${i}`).join('&')
    expect(trap(`/?a=1&${query}`)).toBe('trap: parameter f more than 6 times')
    expect(trap(`/?${query}`, { maxSameParameters: 7 })).toBeUndefined()
  })
})
