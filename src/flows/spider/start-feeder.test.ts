import { beforeEach, describe, expect, it } from 'vitest'
import { LeapClock, quiet } from '../../../testing/leap-clock.ts'
import { MemoryFrontier } from '../../../testing/memory-frontier.ts'
import { testRules } from '../../../testing/test-rules.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { Admission } from './admission.ts'
import { RequestOutput } from './output.ts'
import type { Start } from './spider-definition.ts'
import { SpiderScope } from './spider-scope.ts'
import { StatsCounter } from './spider-stats.ts'
import { StartFeeder } from './start-feeder.ts'

let clock: LeapClock
let frontier: MemoryFrontier
let stats: StatsCounter
let feeder: StartFeeder
/** Fulfilled by the test. */
let room: PromiseWithResolvers<void>
let hasRoom: boolean
beforeEach(() => {
  clock = new LeapClock()
  frontier = new MemoryFrontier(clock)
  stats = new StatsCounter()
  room = Promise.withResolvers()
  hasRoom = false
  const { normalize, filter } = testRules(clock)
  feeder = new StartFeeder({
    ...{ clock, frontier, stats },
    admission: new Admission({ normalize, filter, maxRedirects: 1 }),
    scope: new SpiderScope(undefined),
    room: () => room.promise,
    hasRoom: async () => hasRoom,
    onAdded: () => {},
  })
})

const feed = (start: Start<string>) => feeder.feed({ name: 'x', start })
const pending = () => frontier.pending(clock.now())
const never = new Promise<never>(() => {})

describe('StartFeeder', () => {
  it.each<[string, Start<string>]>([
    ['a URL', 'http://a.test/'],
    ['a list', ['http://a.test/']],
    ['requests', [new RequestOutput('http://a.test/', { handler: 'x' })]],
    ['a function', () => 'http://a.test/'],
    [
      'a generator',
      function* () {
        yield 'http://a.test/'
      },
    ],
    [
      'an async generator',
      async function* () {
        await null
        yield 'http://a.test/'
      },
    ],
  ])('takes %s', async (_, start) => {
    await feed(start)
    expect(await pending()).toMatchObject({ ready: 1, startsComplete: true })
  })

  it('says that the starts are complete also when there are none', async () => {
    await feed([])
    expect(await pending()).toMatchObject({ ready: 0, startsComplete: true })
  })

  it('counts what is given twice', async () => {
    await feed(['http://a.test/', 'http://A.test', 'http://a.test/2'])
    expect(await pending()).toMatchObject({ ready: 2 })
    expect(stats.duplicates).toBe(1)
  })

  it('reads an endless generator no further than needed', async () => {
    let requested = 0
    const feeding = feed(function* () {
      for (;;) yield `http://a.test/${requested++}`
    })
    await quiet()
    expect(requested).toBe(1_000)
    expect(await pending()).toMatchObject({ ready: 1_000, startsComplete: false })
    const { resolve } = room
    room = Promise.withResolvers()
    resolve()
    await quiet()
    expect(requested).toBe(2_000)
    feeder.stop()
    await feeding
  })

  it('does not let wait what a slow generator has brought', async () => {
    const feeding = feed(async function* () {
      yield 'http://a.test/1'
      yield 'http://a.test/2'
      await new Promise<void>((resolve) => clock.after(60_000, resolve))
      yield 'http://a.test/3'
    })
    await quiet()
    expect(await pending()).toMatchObject({ ready: 0 })
    clock.advance(100)
    await quiet()
    expect(await pending()).toMatchObject({ ready: 2, startsComplete: false })
    await clock.run(feeding)
    expect(await pending()).toMatchObject({ ready: 3, startsComplete: true })
    expect(clock.timers).toBe(0)
  })

  it('rejects with what the generator throws; the starts are not complete then', async () => {
    const broken = feed(function* () {
      yield 'http://a.test/'
      throw new RangeError('no')
    })
    await expect(broken).rejects.toThrow(RangeError)
    expect(await pending()).toMatchObject({ startsComplete: false })
    expect(clock.timers).toBe(0)
  })

  it.each(['/relative', 'ftp://a.test/', 'nonsense'])('rejects for %s, which is no start', async (url) => {
    await expect(feed([url])).rejects.toThrow(ConfigurationError)
    await expect(feed([url])).rejects.toThrow('give absolute http or https URLs')
  })
})

describe('readFrom', () => {
  /** Each message is handed out once. */
  function source(...messages: readonly string[]) {
    const left = [...messages]
    const acknowledged: string[] = []
    return {
      acknowledged,
      async take() {
        const requests = left.splice(0, 2).map((url) => new RequestOutput(url))
        return {
          requests,
          add(admitted: readonly CrawlRequest[]) {
            acknowledged.push(...requests.map(({ href }) => href))
            return frontier.add(admitted)
          },
        }
      },
      count: async () => left.length,
    }
  }

  it('brings in what others leave, some every second when many wait, and counts what is no URL', async () => {
    const starts = source('http://a.test/1', 'nonsense', 'http://a.test/2')
    const reading = feeder.readFrom(starts)
    await quiet()
    expect(await pending()).toMatchObject({ ready: 1 })
    clock.advance(1_000)
    await quiet()
    expect(await pending()).toMatchObject({ ready: 2 })
    expect(starts.acknowledged).toEqual(['http://a.test/1', 'nonsense', 'http://a.test/2'])
    feeder.stop()
    await reading
    expect(clock.timers).toBe(0)
  })

  it('brings in all that waits while there is room', async () => {
    hasRoom = true
    const starts = source(...Array.from({ length: 9 }, (_, i) => `http://a.test/${i}`))
    const reading = feeder.readFrom(starts)
    await quiet()
    expect(await pending()).toMatchObject({ ready: 9 })
    feeder.stop()
    await reading
  })

  it('takes nothing when it is stopped', async () => {
    const starts = source('http://a.test/1')
    feeder.stop()
    await feeder.readFrom(starts)
    expect(await starts.count()).toBe(1)
  })

  it('rejects with what the source throws', async () => {
    const broken = { ...source(), take: () => Promise.reject(new RangeError('no')) }
    await expect(feeder.readFrom(broken)).rejects.toThrow(RangeError)
  })
})

describe('stop', () => {
  it('ends it while it waits for room', async () => {
    const feeding = feed(function* () {
      for (let i = 0; ; i++) yield `http://a.test/${i}`
    })
    await quiet()
    feeder.stop()
    await feeding
    expect(await pending()).toMatchObject({ ready: 1_000, startsComplete: false })
  })

  it('ends it while it waits for the generator', async () => {
    const feeding = feed(async function* () {
      yield 'http://a.test/'
      await never
    })
    await quiet()
    feeder.stop()
    await feeding
    expect(await pending()).toMatchObject({ startsComplete: false })
    expect(clock.timers).toBe(0)
  })

  it('has the generator close what it holds, and bears what it throws then', async () => {
    let closed = false
    const feeding = feed(function* () {
      try {
        for (let i = 0; ; i++) yield `http://a.test/${i}`
      } finally {
        closed = true
        // biome-ignore lint/correctness/noUnsafeFinally: that is what is tested
        throw new Error('cannot close')
      }
    })
    await quiet()
    feeder.stop()
    await feeding
    await quiet()
    expect(closed).toBe(true)
  })
})
