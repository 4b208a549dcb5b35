import { describe, expect, it } from 'vitest'
import { ItemStream } from './item-stream.ts'

function streamOf({ collect = true } = {}) {
  const events: string[] = []
  const stream = new ItemStream<number>({
    isCollecting: () => collect,
    onRead: () => events.push('read'),
    onStop: () => events.push('stop'),
  })
  return { stream, events }
}

describe('ItemStream', () => {
  it('keeps all items for the result while nothing reads them', async () => {
    const { stream, events } = streamOf()
    for (let n = 0; n < 3_000; n++) await stream.push(n)
    expect(stream.takeAll()).toHaveLength(3_000)
    expect(events).toEqual([])
  })

  it('keeps nothing when items are not collected', async () => {
    const { stream } = streamOf({ collect: false })
    await stream.push(1)
    expect(stream.takeAll()).toEqual([])
  })

  it('holds back the crawl while 1,000 items wait for the reader', async () => {
    const { stream, events } = streamOf({ collect: false })
    const reader = stream[Symbol.asyncIterator]()
    let pushed = 0
    const pushing = (async () => {
      for (; pushed < 2_500; pushed++) await stream.push(pushed)
      stream.close()
    })()
    await new Promise(setImmediate)
    expect(pushed).toBe(999)
    const read: number[] = []
    for await (const n of reader) read.push(n)
    await pushing
    expect(read).toEqual(Array.from({ length: 2_500 }, (_, n) => n))
    expect(events).toEqual(['read'])
  })

  it('starts with the items from before the reader', async () => {
    const { stream } = streamOf()
    await stream.push(1)
    const reader = stream[Symbol.asyncIterator]()
    expect(await reader.next()).toEqual({ done: false, value: 1 })
    expect(stream.takeAll()).toEqual([])
  })

  it('drops items after the reader left, and reports that once', async () => {
    const { stream, events } = streamOf()
    const reader = stream[Symbol.asyncIterator]()
    await stream.push(1)
    await reader.next()
    await reader.return()
    for (let n = 0; n < 3_000; n++) await stream.push(n)
    expect(events).toEqual(['read', 'stop'])
  })

  it('throws the error of the run to its reader, and can be read once', async () => {
    const { stream } = streamOf()
    const reader = stream[Symbol.asyncIterator]()
    expect(() => stream[Symbol.asyncIterator]()).toThrow('can be read once')
    stream.close({ error: new RangeError('broken') })
    await expect(reader.next()).rejects.toThrow('broken')
  })
})
