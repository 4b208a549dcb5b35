import { describe, expect, it } from 'vitest'
import { HostLimit, RunEnd, reachedLimit } from './spider-limits.ts'

describe('reachedLimit', () => {
  const stats = { items: 5, durationMs: 60_000 }

  it.each([
    [{}, 1, undefined],
    [{ maxItems: 6, maxTimeSeconds: 66 }, Number.POSITIVE_INFINITY, undefined],
    [{}, 0, 'pages'],
    [{ maxItems: 5 }, 1, 'items'],
    [{ maxTimeSeconds: 60 }, 1, 'time'],
  ] as const)('compares %o and %d pages left with what was done', (limits, pagesLeft, reached) => {
    expect(reachedLimit(limits, stats, pagesLeft)).toBe(reached)
  })
})

describe('HostLimit', () => {
  it('lets so many through, and refuses when they have become pages', async () => {
    const limit = new HostLimit(2)
    expect(await Promise.all([limit.take('a'), limit.take('a'), limit.take('b')])).toEqual([true, true, true])
    const third = limit.take('a')
    limit.ended('a', true)
    limit.ended('a', true)
    expect(await third).toBe(false)
    expect(await limit.take('a')).toBe(false)
    expect(await limit.take('b')).toBe(true)
  })

  it('lets another through in the place of one that came to nothing', async () => {
    const limit = new HostLimit(1)
    await limit.take('a')
    const others = [limit.take('a'), limit.take('a')]
    limit.ended('a', false)
    expect(await others[0]).toBe(true)
    limit.ended('a', true)
    expect(await others[1]).toBe(false)
  })

  it('counts on from earlier runs, and lets no request through with 0', async () => {
    const limit = new HostLimit(3, [['a', 2]])
    expect(await limit.take('a')).toBe(true)
    limit.ended('a', true)
    expect(await limit.take('a')).toBe(false)
    expect(await new HostLimit(0).take('a')).toBe(false)
  })
})

it('goes by the first reason, and tells of each', () => {
  let told = 0
  const end = new RunEnd(() => told++)
  expect(end.reason).toBeUndefined()
  end.because('pages')
  end.because('interrupted')
  expect([end.reason, end.result(), told]).toEqual(['pages', 'pages', 2])
})

it('is finished without another reason', () => {
  expect(new RunEnd(() => {}).result()).toBe('finished')
})

it('throws what went wrong first, also when there was another reason before', () => {
  const end = new RunEnd(() => {})
  end.because('drained')
  end.fail(new RangeError('first'))
  end.fail(new TypeError('second'))
  expect(end.reason).toBe('drained')
  expect(() => end.result()).toThrow(RangeError)
})
