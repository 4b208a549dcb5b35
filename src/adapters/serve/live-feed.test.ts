import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { FakeLiveCrawl } from '../../../testing/fake-live-crawl.ts'
import type { LiveCrawl } from '../../domain/live/live-crawl.ts'
import { LiveFeed } from './live-feed.ts'
import type { LiveMessage } from './responses.ts'

let clock: FakeClock
let live: LiveCrawl | undefined
let finds: number
let closed: number
let feed: LiveFeed

beforeEach(() => {
  clock = new FakeClock()
  live = new FakeLiveCrawl(clock)
  finds = 0
  closed = 0
  feed = new LiveFeed(clock, {
    find: async () => {
      finds++
      return live
    },
  })
})

function open() {
  const stream = feed.open(() => {
    closed++
  })
  return { stream, reader: stream.body.getReader() }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/** The next event as it was sent; `undefined` at the end. */
async function next(reader: Reader): Promise<string | undefined> {
  const { value } = await reader.read()
  return value && new TextDecoder().decode(value)
}

function messageIn(event: string | undefined): LiveMessage {
  const [, json = ''] = /^data: (.*)\n\n$/.exec(event ?? '') ?? []
  return JSON.parse(json) as LiveMessage
}

/** Lets promises run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

async function second(): Promise<void> {
  await settle()
  clock.advance(1_000)
  await settle()
}

describe('LiveFeed', () => {
  it('sends the last report at once when the crawl has ended', async () => {
    const ended = Promise.withResolvers<void>()
    const crawl = new FakeLiveCrawl(clock)
    feed = new LiveFeed(clock, { find: async () => crawl, ended: ended.promise })
    const { reader } = open()
    expect(messageIn(await next(reader))).toMatchObject({ report: { state: 'running' } })
    await settle()
    await crawl.act({ action: 'stop' })
    ended.resolve()
    // The clock does not move.
    expect(messageIn(await next(reader))).toMatchObject({ report: { state: 'stopping' } })
  })

  it('sends a report at once, and one per second, each as one event', async () => {
    const { reader } = open()
    const first = await next(reader)
    expect(first).toMatch(/^data: \{[^\n]*\}\n\n$/)
    expect(messageIn(first)).toMatchObject({ state: 'running', report: { kind: 'cycle' } })
    for (let i = 1; i <= 3; i++) {
      await second()
      const message = messageIn(await next(reader))
      expect(message).toMatchObject({ state: 'running', report: { at: 1_800_000_000_000 + i * 1_000 } })
    }
  })

  it('polls once per second for all clients, and gives a new client the latest report at once', async () => {
    const first = open()
    await next(first.reader)
    const others = [open(), open(), open()]
    for (const { reader } of others) expect(messageIn(await next(reader))).toMatchObject({ state: 'running' })
    expect(finds).toBe(1)
    await second()
    expect(finds).toBe(2)
  })

  it('does nothing without clients', async () => {
    expect(finds).toBe(0)
    const { reader } = open()
    await next(reader)
    await reader.cancel()
    for (let i = 0; i < 5; i++) await second()
    expect([finds, closed]).toEqual([1, 1])
    open()
    await settle()
    expect(finds).toBe(2)
  })

  it('says once that the crawl has ended, keeps the connection, and sends reports when it starts again', async () => {
    const { reader } = open()
    await next(reader)
    const running = live
    live = undefined
    await second()
    expect(messageIn(await next(reader))).toMatchObject({ state: 'idle', last: { kind: 'cycle' } })
    await second()
    expect(await next(reader)).toBe(': keep-alive\n\n')
    live = running
    await second()
    expect(messageIn(await next(reader))).toMatchObject({ state: 'running' })
  })

  it('keeps only the latest event for a client that does not read, and disconnects it after a minute', async () => {
    const slow = open()
    const fast = open()
    for (let i = 0; i < 30; i++) {
      await second()
      await next(fast.reader)
    }
    const message = messageIn(await next(slow.reader))
    expect(message).toMatchObject({ report: { at: clock.now() } })
    for (let i = 0; i < 62; i++) {
      await second()
      await next(fast.reader)
    }
    expect(closed).toBe(1)
    expect((await slow.reader.read()).done).toBe(true)
  })

  it('does not replace an unread event by a comment', async () => {
    live = undefined
    const { reader } = open()
    for (let i = 0; i < 3; i++) await second()
    expect(messageIn(await next(reader))).toEqual({ state: 'idle' })
  })

  it('sends comments while the crawl does not respond, and then says so', async () => {
    const never = Promise.withResolvers<never>()
    live = { ...new FakeLiveCrawl(clock), report: () => never.promise } as unknown as LiveCrawl
    const { reader } = open()
    await settle()
    for (let i = 0; i < 3; i++) {
      clock.advance(5_000)
      expect(await next(reader)).toBe(': keep-alive\n\n')
    }
    clock.advance(5_000)
    await settle()
    expect(messageIn(await next(reader))).toEqual({
      ...{ state: 'idle', problem: 'The crawl has not responded for 20 seconds.' },
    })
  })
})
