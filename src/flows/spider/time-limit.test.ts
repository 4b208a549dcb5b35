import { beforeEach, describe, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { TimeLimit, TimeLimitExceeded } from './time-limit.ts'

let clock: LeapClock
beforeEach(() => {
  clock = new LeapClock()
})

describe('call', () => {
  it('gives the result, or what was thrown', async () => {
    const limit = new TimeLimit(clock, 1_000)
    expect(await limit.call(() => 7)).toBe(7)
    await expect(
      limit.call(() => {
        throw new RangeError('no')
      }),
    ).rejects.toThrow(RangeError)
  })

  it('breaks off an endless loop, and only that', async () => {
    const limit = new TimeLimit(clock, 50)
    const calls = [
      limit.call(() => 'before'),
      limit.call(() => {
        for (;;);
      }),
      limit.call(() => 'after'),
      limit.call(() => {
        throw new Error('no')
      }),
      limit.call(() => 'last'),
    ]
    const [before, endless, after, thrown, last] = await Promise.allSettled(calls)
    expect([before, after, last]).toMatchObject(['before', 'after', 'last'].map((value) => ({ value })))
    expect(endless).toMatchObject({
      reason: { name: 'TimeLimitExceeded', message: 'not finished after 0.05 s (limits.handlerSeconds)' },
    })
    expect(thrown).toMatchObject({ reason: { message: 'no' } })
  })

  it('breaks off a loop that catches everything', async () => {
    const limit = new TimeLimit(clock, 50)
    const stubborn = limit.call(() => {
      for (;;) {
        try {
          for (;;);
        } catch {}
      }
    })
    await expect(stubborn).rejects.toThrow(TimeLimitExceeded)
    expect(await limit.call(() => 1)).toBe(1)
  })

  it('has calls that a call makes run, too', async () => {
    const limit = new TimeLimit(clock, 1_000)
    const inner: Promise<number>[] = []
    await limit.call(() => inner.push(limit.call(() => 2)))
    expect(await Promise.all(inner)).toEqual([2])
  })

  it('keeps the order of calls', async () => {
    const limit = new TimeLimit(clock, 1_000)
    const seen: number[] = []
    await Promise.all(Array.from({ length: 100 }, (_, i) => limit.call(() => seen.push(i))))
    expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i))
  })

  it('lets others have their turn between calls that take long', async () => {
    const limit = new TimeLimit(clock, 1_000)
    const seen: string[] = []
    const busy = () => {
      for (const until = performance.now() + 11; performance.now() < until; );
      seen.push('call')
    }
    const calls = [limit.call(busy), limit.call(busy)]
    setImmediate(() => seen.push('other'))
    await Promise.all(calls)
    expect(seen).toEqual(['call', 'other', 'call'])
  })

  it('needs no script without a limit', async () => {
    expect(await new TimeLimit(clock, Number.POSITIVE_INFINITY).call(() => 3)).toBe(3)
  })
})

describe('run', () => {
  it('breaks off a loop, and gives up a promise that never settles', async () => {
    const limit = new TimeLimit(clock, 50)
    expect(await limit.run(() => 1)).toBe(1)
    expect(await limit.run(async () => 2)).toBe(2)
    const loop = limit.run(() => {
      for (;;);
    })
    await expect(loop).rejects.toThrow(TimeLimitExceeded)
    await expect(clock.run(limit.run(() => new Promise(() => {})))).rejects.toThrow(TimeLimitExceeded)
  })
})

describe('wait', () => {
  it('gives what the promise brings, and leaves no timer behind', async () => {
    const limit = new TimeLimit(clock, 1_000)
    expect(await limit.wait(Promise.resolve(5))).toBe(5)
    await expect(limit.wait(Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError)
    expect(clock.timers).toBe(0)
  })

  it('rejects when the time is up', async () => {
    const waiting = new TimeLimit(clock, 1_000).wait(new Promise(() => {}))
    const start = clock.now()
    await expect(clock.run(waiting)).rejects.toThrow(TimeLimitExceeded)
    expect(clock.now() - start).toBe(1_000)
  })

  it('waits for ever without a limit', async () => {
    const wait = new TimeLimit(clock, Number.POSITIVE_INFINITY).wait(new Promise(() => {}))
    await expect(clock.run(wait)).rejects.toThrow('it hangs')
  })
})
