import { beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { failedParse, type PageToParse } from '../../domain/parse/parsed-page.ts'
import { OnDemandParser } from './on-demand-parser.ts'

let clock: FakeClock
let parser: OnDemandParser
/** Who parsed, in the order of the pages. */
let parsedBy: string[]
/** Time that the calling thread takes for a page. */
let parseMs: number
let started: PromiseWithResolvers<void>
let threads: number
let isClosed: boolean

beforeEach(() => {
  clock = new FakeClock()
  parsedBy = []
  parseMs = 10
  started = Promise.withResolvers()
  threads = 0
  isClosed = false
  const parsing = (name: string, ms: () => number) => ({
    parse({ url }: PageToParse) {
      clock.advance(ms())
      parsedBy.push(name)
      return Promise.resolve(failedParse(url, 'text/html', ''))
    },
    close() {
      isClosed = true
      return Promise.resolve()
    },
  })
  parser = new OnDemandParser({
    clock,
    isSmall: ({ bytes }) => bytes.length < 100,
    inline: () => Promise.resolve(parsing('main', () => parseMs)),
    threads() {
      threads++
      return Promise.resolve({ ...parsing('thread', () => 0), start: () => started.promise })
    },
  })
})

const parse = (size = 1) =>
  parser.parse({
    url: 'http://a.test/',
    headers: [],
    bytes: new Uint8Array(size),
    truncated: false,
    score: 1,
    metadata: {},
  })

async function parseMany(pages: number, everyMs = 0): Promise<void> {
  for (let i = 0; i < pages; i++) {
    await parse()
    clock.advance(everyMs)
  }
}

describe('a parser that starts threads on demand', () => {
  it('starts none for a few pages', async () => {
    await parseMany(15)
    expect({ threads, parsedBy }).toEqual({ threads: 0, parsedBy: Array(15).fill('main') })
  })

  it('starts none while pages take less than a tenth of the time', async () => {
    await parseMany(1_000, 100)
    expect(threads).toBe(0)
  })

  it('starts them when pages take more, and parses in the calling thread until they are ready', async () => {
    await parseMany(16)
    expect(threads).toBe(1)
    await parseMany(5)
    started.resolve()
    await started.promise
    await parseMany(5, 10_000)
    expect(parsedBy).toEqual([...Array(21).fill('main'), ...Array(5).fill('thread')])
    expect(threads).toBe(1)
  })

  it('starts them when one page takes long', async () => {
    parseMs = 200
    await parse()
    expect(threads).toBe(1)
  })

  it('gives a page that is not small to a thread, even if none is ready', async () => {
    await parse(100)
    expect(parsedBy).toEqual(['thread'])
  })

  it('closes the threads that it started', async () => {
    await parser.close()
    expect(isClosed).toBe(false)
    await parse(100)
    await parser.close()
    expect(isClosed).toBe(true)
  })
})
