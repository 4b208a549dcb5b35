import { describe, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { Page } from './handler-page.ts'
import { drop } from './hooks.ts'
import { LocalCalls } from './local-calls.ts'
import type { AnySpider } from './spider-definition.ts'
import { StatsCounter } from './spider-stats.ts'
import type { StandardSchema } from './standard-schema.ts'
import { TimeLimit, TimeLimitExceeded } from './time-limit.ts'

const clock = new LeapClock()
const { normalize } = testRules(clock)
const REQUEST = { url: 'http://a.test/', handler: 'parse', depth: 0 }
const page = new Page({
  request: REQUEST,
  ...{ attempt: 1, status: 200, headers: [], bytes: new Uint8Array(), normalize },
})
const stats = new StatsCounter().snapshot(0)
const twoItems: AnySpider['parse'] = (one) => [one.item({ n: 1 }), one.item({ n: 2 })]

function callsOf(spider: Partial<AnySpider>) {
  return new LocalCalls({ name: 'x', ...spider }, normalize, new TimeLimit(clock, 50))
}

function loop(): never {
  for (;;);
}

const looping: StandardSchema<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'x', validate: loop },
}

describe('a function that never ends', () => {
  it.each<[string, Partial<AnySpider>, (calls: LocalCalls) => Promise<unknown>]>([
    ['a request hook', { hooks: [{ request: loop }] }, (calls) => calls.onRequest(REQUEST)],
    ['a response hook', { hooks: [{ response: loop }] }, (calls) => calls.onPage(page)],
    ['a handler', { parse: loop }, (calls) => calls.onPage(page)],
    ['a schema', { parse: twoItems, item: looping }, (calls) => calls.onPage(page)],
    ['a pipeline', { parse: twoItems, pipelines: [{ process: loop }] }, (calls) => calls.onPage(page)],
    [
      'the opening of a pipeline',
      { pipelines: [{ open: loop, process: (item) => item }] },
      (calls) => calls.open(),
    ],
    ['onIdle', { onIdle: loop }, (calls) => calls.onIdle(stats)],
    ['onItem', { onItem: loop }, (calls) => calls.onItem({})],
    ['onClose', { onClose: loop }, (calls) => calls.onClose(stats, 'finished')],
    [
      'onClose, by a promise',
      { onClose: () => new Promise(() => {}) },
      (calls) => calls.onClose(stats, 'finished'),
    ],
    [
      'a pipeline, by a promise',
      { parse: twoItems, pipelines: [{ process: () => new Promise(() => {}) }] },
      (calls) => calls.onPage(page),
    ],
  ])('is given up: %s', async (_, spider, call) => {
    await expect(clock.run(call(callsOf(spider)))).rejects.toThrow(TimeLimitExceeded)
  })

  it('is told of when a pipeline is closed, and the next one is closed too', async () => {
    const closed: string[] = []
    const failures: unknown[] = []
    const process = (item: unknown) => item
    const calls = callsOf({
      pipelines: [
        { process, close: loop },
        { process, close: () => void closed.push('second') },
      ],
    })
    await calls.close((error) => failures.push(error))
    expect(failures).toEqual([expect.any(TimeLimitExceeded)])
    expect(closed).toEqual(['second'])
  })
})

it('takes items through the pipelines one after the other, whether they wait or not', async () => {
  const seen: string[] = []
  const calls = callsOf({
    parse: (one) => [1, 2, 3, 4].map((n) => one.item({ n })),
    pipelines: [
      {
        async process(item) {
          const { n } = item as { n: number }
          seen.push(`${n} begins`)
          if (n === 2) await null
          seen.push(`${n} ends`)
          return n === 3 ? drop('three') : item
        },
      },
      { process: (item) => item },
    ],
  })
  expect(await calls.onPage(page)).toMatchObject({
    requests: [],
    items: [{ n: 1 }, { n: 2 }, { n: 4 }],
    rejected: [],
    dropped: ['three'],
  })
  expect(seen).toEqual([1, 2, 3, 4].flatMap((n) => [`${n} begins`, `${n} ends`]))
})
