import { beforeEach, describe, expect, it } from 'vitest'
import { LeapClock, quiet } from '../../../testing/leap-clock.ts'
import { ItemOutput, RequestOutput } from './output.ts'
import { MAX_OUTPUTS, runHandler } from './run-handler.ts'
import type { HandlerResult } from './spider-definition.ts'
import { TimeLimit, TimeLimitExceeded } from './time-limit.ts'

const ONE = new ItemOutput(1)
const TWO = new RequestOutput('http://a.test/')
let clock: LeapClock
beforeEach(() => {
  clock = new LeapClock()
})

function run(handler: () => unknown, limitMs = 1_000) {
  const handle = handler as () => HandlerResult<unknown, string>
  return runHandler(handle, new TimeLimit(clock, limitMs), (outputs) => outputs)
}

describe('what a handler may return', () => {
  it.each<[string, () => unknown, readonly unknown[]]>([
    ['nothing', () => {}, []],
    ['one output', () => ONE, [ONE]],
    ['an array', () => [ONE, undefined, TWO], [ONE, TWO]],
    ['a set', () => new Set([ONE]), [ONE]],
    ['a plain object, which is an item', () => ({ title: 'x' }), [new ItemOutput({ title: 'x' })]],
    ['plain objects', () => [Object.create(null), TWO], [new ItemOutput({}), TWO]],
    [
      'a generator',
      function* () {
        yield ONE
        yield undefined
        yield TWO
      },
      [ONE, TWO],
    ],
    ['a promise of nothing', async () => {}, []],
    ['a promise of one output', async () => TWO, [TWO]],
    ['a promise of an array', async () => [ONE, TWO], [ONE, TWO]],
    [
      'a promise of a generator',
      async () =>
        (function* () {
          yield ONE
        })(),
      [ONE],
    ],
    [
      'an async generator',
      async function* () {
        yield ONE
        await null
        yield undefined
        yield TWO
      },
      [ONE, TWO],
    ],
  ])('is %s', async (_, handler, outputs) => {
    expect(await run(handler)).toEqual(outputs)
  })
})

describe('a handler that fails', () => {
  const boom = () => {
    throw new RangeError('boom')
  }
  it.each<[string, () => unknown]>([
    ['at once', boom],
    [
      'half-way through a generator',
      function* () {
        yield ONE
        boom()
      },
    ],
    ['in time', async () => boom()],
    [
      'half-way through an async generator',
      async function* () {
        yield ONE
        await null
        boom()
      },
    ],
  ])('%s returns nothing but its error', async (_, handler) => {
    await expect(run(handler)).rejects.toThrow('boom')
  })

  it.each<[unknown, string]>([
    [7, 'not 7'],
    ['http://a.test/', 'not http://a.test/'],
    [null, 'not null'],
    [new Date(), 'a Date'],
  ])('by handing back %o is told what to do', async (output, message) => {
    await expect(run(() => output)).rejects.toThrow(message)
    await expect(run(() => [ONE, output])).rejects.toThrow(TypeError)
    await expect(run(async () => output)).rejects.toThrow(TypeError)
  })
})

describe('a handler that does not end', () => {
  it.each<[string, () => unknown]>([
    [
      'an endless loop',
      () => {
        for (;;);
      },
    ],
    [
      'a generator that loops',
      function* () {
        yield ONE
        for (;;);
      },
    ],
    [
      'a generator that yields nothing for ever',
      function* () {
        for (;;) yield undefined
      },
    ],
  ])('is broken off: %s', async (_, handler) => {
    await expect(run(handler, 50)).rejects.toThrow(/not finished after|more than/)
  })

  it.each<[string, () => unknown]>([
    ['a promise', () => new Promise(() => {})],
    [
      'an async generator',
      async function* () {
        yield ONE
        await new Promise(() => {})
      },
    ],
  ])('is given up: %s', async (_, handler) => {
    await expect(clock.run(run(handler))).rejects.toThrow(TimeLimitExceeded)
  })

  it.each<[string, unknown]>([
    ['outputs', ONE],
    ['nothing', undefined],
  ])('is given up when it yields %s forever without a pause', async (_, output) => {
    const endless = async function* () {
      for (;;) yield output
    }
    await expect(run(endless)).rejects.toThrow(`more than ${MAX_OUTPUTS}`)
  })

  it('is not read any further once it was given up', async () => {
    let requested = 0
    let closed = false
    const slow = async function* () {
      try {
        for (;;) {
          await new Promise<void>((resolve) => clock.after(300, resolve))
          requested++
          yield ONE
        }
      } finally {
        closed = true
      }
    }
    await expect(clock.run(run(slow))).rejects.toThrow(TimeLimitExceeded)
    for (let i = 0; i < 20; i++) {
      clock.leap()
      await quiet()
    }
    expect(closed).toBe(true)
    expect(requested).toBeLessThan(6)
  })
})
