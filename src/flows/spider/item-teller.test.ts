import { describe, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { HandlerErrors } from './handler-errors.ts'
import { ItemTeller } from './item-teller.ts'
import { TimeLimit } from './time-limit.ts'

function teller(onItem: ((item: unknown) => void | Promise<void>) | undefined) {
  const clock = new LeapClock()
  const failures: string[] = []
  const errors = new HandlerErrors(
    0,
    () => {},
    (where, error) => failures.push(`${where}: ${String(error)}`),
  )
  const limit = new TimeLimit(clock, 1_000)
  return {
    clock,
    failures,
    teller: new ItemTeller(onItem && ((item) => limit.run(() => onItem(item))), errors),
  }
}

describe('ItemTeller', () => {
  it('tells of one item after the other, in their order, and has ended when all are told', async () => {
    const told: string[] = []
    const { teller: items } = teller(async (item) => {
      told.push(`${item} begins`)
      await null
      told.push(`${item} ends`)
    })
    items.tell([1])
    items.tell([2])
    await items.ended()
    expect(told).toEqual(['1 begins', '1 ends', '2 begins', '2 ends'])
  })

  it('goes on after one that fails, and after one that never ends', async () => {
    const told: unknown[] = []
    const {
      teller: items,
      clock,
      failures,
    } = teller((item) => {
      told.push(item)
      if (item === 1) throw new RangeError('no')
      return item === 2 ? new Promise(() => {}) : undefined
    })
    items.tell([1, 2, 3])
    await clock.run(items.ended())
    expect(told).toEqual([1, 2, 3])
    expect(failures).toEqual([
      'onItem: RangeError: no',
      'onItem: TimeLimitExceeded: not finished after 1 s (limits.handlerSeconds)',
    ])
  })

  it('does nothing when nobody wants to know', async () => {
    const { teller: items } = teller(undefined)
    items.tell([1])
    await items.ended()
  })
})
