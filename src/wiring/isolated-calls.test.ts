import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { testRules } from '../../testing/test-rules.ts'
import { Page } from '../flows/spider/handler-page.ts'
import { drop, retryLater } from '../flows/spider/hooks.ts'
import { KnownRequests } from '../flows/spider/known-requests.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import { StatsCounter } from '../flows/spider/spider-stats.ts'
import { HandlerThreadEnded, TimeLimitExceeded } from '../flows/spider/time-limit.ts'
import { IsolatedCalls } from './isolated-calls.ts'

const SPIDER = `
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { drop, retryLater, spider } from 'orbweaver'
let pages = 0
const log = (line) => appendFileSync(new URL('./log.txt', import.meta.url), line + '\\n')
const loop = () => { for (;;); }
class NotFound extends Error { name = 'NotFound' }
export default ({ prefix = '' }) => spider({
  name: 'isolated',
  start: 'http://a.test/',
  async *parse(page) {
    yield page.item({ title: prefix + page.text('h1'), pages: ++pages, type: page.contentType })
    yield page.follow('/next', { meta: { from: page.url, call: () => 1 }, handler: 'throws' })
    if (page.meta.item !== undefined) yield page.item({ big: true })
  },
  handlers: {
    loops: loop,
    async loopsLater() { await pause(1); loop() },
    async spins() { for (;;) await null },
    waits: (page) => pause(page.meta.ms).then(() => page.item({ waited: true })),
    never: () => new Promise(() => {}),
    throws() { throw new NotFound('no such page') },
    exits: () => process.exit(7),
    uncaught: () => new Promise(() => setTimeout(() => { throw new Error('from a timer') })),
    eats: () => { const all = []; for (;;) all.push(Array(10_000).fill({})) },
    big: (page) => page.item({ text: 'x'.repeat(1e6) }),
    links: (page) => page.followAll(['/x', '/y', '../x#part']),
    mistakes: (page) => page.followAll(['/x', '/y'], 'gone'),
  },
  hooks: [{
    request: ({ headers }) => ({ headers: { ...headers, 'x-pages': String(pages) } }),
    response: (page) => page.status === 202 ? retryLater('later', 5) : page.status === 204 ? drop('empty') : undefined,
  }],
  pipelines: [{
    open: () => log('open'),
    process: (item) => item.big ? drop('big') : item,
    close: () => { log('close'); throw new RangeError('not closed') },
  }],
  onError: ({ cause, page, code }) => page.item({ cause: cause?.name, code, text: page.text() }),
  onIdle: ({ pages }) => page => page,
  onItem: (item) => log(JSON.stringify(item)),
  onClose: (stats, ended) => log(ended),
})
`

const { normalize } = testRules(new FakeClock())
const STATS = new StatsCounter().snapshot(0)
const DEFINITION = {
  name: 'isolated',
  hooks: [{ request: () => {} }],
  pipelines: [{ process: (item: unknown) => item, close: () => {} }],
  onError: () => {},
  onClose: () => {},
} as AnySpider

let folder: string
let clock: FakeClock
let calls: IsolatedCalls
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isolated-'))
  clock = new FakeClock()
  calls = open(SPIDER)
  await calls.open()
}, 60_000)
afterAll(async () => {
  await calls.close(() => {})
  rmSync(folder, { recursive: true })
})

function open(text: string, memoryMb = 64, known?: SharedArrayBuffer): IsolatedCalls {
  const file = join(folder, `spider-${Math.random()}.mjs`)
  writeFileSync(file, text)
  return new IsolatedCalls(clock, DEFINITION, {
    ...{ file, memoryMb, args: { prefix: '> ' }, normalizer: {}, limitMs: 20_000 },
    ...(known !== undefined && { known }),
  })
}

function pageFor(handler: string, { status = 200, meta = {} } = {}): Page {
  return new Page({
    request: { url: 'http://a.test/dir/', handler, depth: 1, meta },
    ...{ attempt: 1, status, headers: [['content-type', 'text/html']], normalize },
    bytes: Buffer.from('<h1>Über</h1>'),
  })
}

/** Lets the watchdog look until `work` has ended. */
async function untilBlocked<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    clock.advance(100)
  }
  return work
}

describe('calls in a thread', () => {
  it("return the results of the spider's functions", async () => {
    expect(await calls.onPage(pageFor('parse', { meta: { item: 1 } }))).toMatchObject({
      requests: [
        {
          href: '/next',
          base: 'http://a.test/dir/',
          options: { meta: { from: 'http://a.test/dir/' }, handler: 'throws' },
        },
      ],
      items: [{ title: '> Über', pages: 1, type: 'text/html' }],
      rejected: [],
      dropped: ['big'],
    })
    expect(await calls.onRequest({ url: 'http://a.test/', handler: 'parse', depth: 0 })).toMatchObject({
      headers: { 'x-pages': '1' },
    })
    expect(await calls.onPage(pageFor('parse', { status: 202 }))).toEqual(retryLater('later', 5))
    expect(await calls.onPage(pageFor('parse', { status: 204 }))).toEqual(drop('empty'))
  }, 60_000)

  it('reject with the thrown error and its stack', async () => {
    const thrown = await calls.onPage(pageFor('throws')).catch((error: unknown) => error)
    expect(thrown).toMatchObject({ name: 'NotFound', message: 'no such page' })
    expect((thrown as Error).stack).toMatch(/at throws .*spider-/)
    const error = { code: 'x', reason: '', url: '', attempts: 1, cause: thrown, page: pageFor('throws') }
    expect(await calls.onError(error)).toMatchObject({
      items: [{ cause: 'NotFound', code: 'x', text: 'Über' }],
    })
    await expect(calls.onPage(pageFor('gone'))).rejects.toThrow('no handler "gone"')
  }, 60_000)

  it('leave out links that the frontier has, and count them', async () => {
    const known = new KnownRequests()
    const own = open(SPIDER, 64, known.memory)
    await own.open()
    expect(await own.onPage(pageFor('links'))).toMatchObject({ requests: [{}, {}, {}], repeats: 0 })
    known.add([{ url: 'http://a.test/x', handler: 'parse', depth: 1 }])
    expect(await own.onPage(pageFor('links'))).toMatchObject({ requests: [{ href: '/y' }], repeats: 2 })
    // Requests for an unknown handler fail in the main thread.
    expect(await own.onPage(pageFor('mistakes'))).toMatchObject({ requests: [{}, {}], repeats: 0 })
    await own.close(() => {})
  }, 60_000)

  it('open and close the pipelines in the thread', async () => {
    const failures: unknown[] = []
    rmSync(join(folder, 'log.txt'))
    const own = open(SPIDER)
    await own.open()
    await own.onItem({ n: 1 })
    await own.onClose(STATS, 'finished')
    await own.close((error) => failures.push(error))
    expect(failures).toMatchObject([{ name: 'RangeError', message: 'not closed' }])
    expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('open\n{"n":1}\nfinished\nclose\n')
  }, 60_000)

  it('are rejected if the spider cannot be loaded', async () => {
    await expect(open('export default () => 7').open()).rejects.toThrow('export default spider')
    await expect(open('throw new Error("no")').open()).rejects.toThrow(/no/)
  }, 60_000)

  it('wait for room when too many pages are pending', async () => {
    const pending = Array.from({ length: 128 }, () => calls.onPage(pageFor('waits', { meta: { ms: 1 } })))
    let hasRoom = false
    const room = calls.room().then(() => {
      hasRoom = true
    })
    await Promise.resolve()
    expect(hasRoom).toBe(false)
    await Promise.all([...pending, room])
  }, 60_000)
})

describe('a function that blocks or ends its thread', () => {
  it.each([
    ['loops', TimeLimitExceeded],
    ['spins', TimeLimitExceeded],
    ['exits', HandlerThreadEnded],
    ['uncaught', HandlerThreadEnded],
  ])(
    'fails its own call, and no other: %s',
    async (handler, reason) => {
      const bad = calls.onPage(pageFor(handler))
      const others = ['parse', 'parse', 'big', 'throws'].map((name) => calls.onPage(pageFor(name)))
      const [failed, ...rest] = await untilBlocked(Promise.allSettled([bad, ...others]))
      expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(reason) })
      expect(rest.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
      // The state of the module is gone with the thread, or was never there.
      expect(await calls.onPage(pageFor('parse'))).toMatchObject({ items: [{ title: '> Über' }] })
    },
    120_000,
  )

  it('runs out of memory before the process does', async () => {
    const bad = calls.onPage(pageFor('eats'))
    const other = calls.onPage(pageFor('parse'))
    await expect(bad).rejects.toThrow('out of memory, more than 64 MB (limits.handlerMemoryMb)')
    expect(await other).toMatchObject({ items: [{ title: '> Über' }] })
  }, 120_000)

  it('is found among pending pages', async () => {
    const waiting = [1, 2, 3].map(() => calls.onPage(pageFor('waits', { meta: { ms: 30 } })))
    const bad = calls.onPage(pageFor('loopsLater'))
    const results = await untilBlocked(Promise.allSettled([...waiting, bad]))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  }, 120_000)
})
