import { describe, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { HandlerErrors } from './handler-errors.ts'
import { type ItemListener, ItemNotifier } from './item-notifier.ts'
import { TimeLimit } from './time-limit.ts'

function notifierFor(...listeners: ItemListener[]) {
  const clock = new LeapClock()
  const failures: string[] = []
  const errors = new HandlerErrors(
    0,
    () => {},
    (where, error) => failures.push(`${where}: ${String(error)}`),
  )
  const limit = new TimeLimit(clock, 1_000)
  const limited = listeners.map((listener) => (item: unknown) => limit.run(() => listener(item)))
  return { clock, failures, notifier: new ItemNotifier(limited, errors) }
}

describe('ItemNotifier', () => {
  it('passes one item after the other, in their order, and has finished when all are passed', async () => {
    const seen: string[] = []
    const { notifier } = notifierFor(async (item) => {
      seen.push(`${item} begins`)
      await null
      seen.push(`${item} ends`)
    })
    notifier.notify([1])
    notifier.notify([2])
    await notifier.finished()
    expect(seen).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
  })

  it('continues after a listener that fails, and after one that never returns', async () => {
    const seen: unknown[] = []
    const { notifier, clock, failures } = notifierFor((item) => {
      seen.push(item)
      if (item === 1) throw new RangeError('no')
      return item === 2 ? new Promise(() => {}) : undefined
    })
    notifier.notify([1, 2, 3])
    await clock.run(notifier.finished())
    expect(seen).toEqual([1, 2, 3])
    expect(failures).toEqual([
      'onItem: RangeError: no',
      'onItem: TimeLimitExceeded: not finished after 1 s (limits.handlerSeconds)',
    ])
  })

  it('keeps no items and always has room without listeners', async () => {
    const { notifier, failures } = notifierFor()
    notifier.notify(Array.from({ length: 5_000 }, (_, n) => n))
    await expect(notifier.room()).resolves.toBeUndefined()
    await expect(notifier.finished()).resolves.toBeUndefined()
    expect(failures).toEqual([])
  })

  it('has no room while a slow listener has 1,000 items waiting, until it is released', async () => {
    const gate = Promise.withResolvers<void>()
    const errors = new HandlerErrors(
      0,
      () => {},
      () => {},
    )
    const seen: unknown[] = []
    const slow = new ItemNotifier(
      [
        async (item) => {
          await gate.promise
          seen.push(item)
        },
      ],
      errors,
    )
    slow.notify(Array.from({ length: 1_000 }, (_, n) => n))
    let hasRoom = false
    const room = slow.room().then(() => {
      hasRoom = true
    })
    await new Promise(setImmediate)
    expect(hasRoom).toBe(false)
    slow.release()
    await room
    expect(seen).toEqual([])
    gate.resolve()
    await slow.finished()
    expect(seen).toHaveLength(1_000)
  })
})
