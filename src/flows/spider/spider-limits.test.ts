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
  const isTaken = async (limit: HostLimit, host: string) => (await limit.take(host)) !== undefined

  async function take(limit: HostLimit, host: string) {
    const taken = await limit.take(host)
    if (taken === undefined) throw new Error(`${host} has its pages`)
    return taken
  }

  it('lets so many through, and refuses when they have become pages', async () => {
    const limit = new HostLimit(2)
    const [one, two] = [await take(limit, 'a'), await take(limit, 'a')]
    expect(await isTaken(limit, 'b')).toBe(true)
    const third = isTaken(limit, 'a')
    limit.ended(one, true)
    limit.ended(two, true)
    expect(await third).toBe(false)
    expect(await isTaken(limit, 'a')).toBe(false)
    expect(await isTaken(limit, 'b')).toBe(true)
  })

  it('lets another through in the place of one that came to nothing', async () => {
    const limit = new HostLimit(1)
    const first = await take(limit, 'a')
    const others = [limit.take('a'), limit.take('a')]
    limit.ended(first, false)
    const second = await others[0]
    if (second === undefined) throw new Error('the first one brought no page')
    limit.ended(second, true)
    expect(await others[1]).toBeUndefined()
  })

  it('counts on from earlier runs, and lets no request through with 0', async () => {
    const limit = new HostLimit(3, [['a', 2]])
    limit.ended(await take(limit, 'a'), true)
    expect(await isTaken(limit, 'a')).toBe(false)
    expect(await isTaken(new HostLimit(0), 'a')).toBe(false)
  })

  it('counts on from other workers', async () => {
    const limit = new HostLimit(3)
    limit.restore('a', 2, true)
    limit.ended(await take(limit, 'a'), true)
    expect(await isTaken(limit, 'a')).toBe(false)
    // The page is not stored yet.
    limit.restore('a', 2, false)
    expect(await isTaken(limit, 'a')).toBe(false)
  })

  it('ignores requests in flight of an earlier lease', async () => {
    const limit = new HostLimit(2)
    const [one, two] = [await take(limit, 'a'), await take(limit, 'a')]
    const third = limit.take('a')
    limit.restore('a', 1, true)
    expect(await third).toBeDefined()
    limit.ended(one, true)
    limit.ended(two, false)
    const fourth = limit.take('a')
    limit.ended((await third) as NonNullable<Awaited<typeof third>>, false)
    expect(await fourth).toBeDefined()
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
