import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FakeClock } from '../../testing/fake-clock.ts'
import { testRules } from '../../testing/test-rules.ts'
import { Page } from '../flows/spider/handler-page.ts'
import type { CallResult } from '../flows/spider/spider-calls.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import { StatsCounter } from '../flows/spider/spider-stats.ts'
import { HandlerThreadEnded } from '../flows/spider/time-limit.ts'
import { IsolatedCalls } from './isolated-calls.ts'
import { ThreadedCalls } from './threaded-calls.ts'

const SPIDER = `
import { appendFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import { spider } from 'orbweaver'
const log = (line) => appendFileSync(new URL('./log.txt', import.meta.url), line + '\\n')
export default ({ only }) => spider({
  name: 'threads',
  start: 'http://a.test/',
  parse: async (page) => { await pause(1); return page.item({ thread: threadId }) },
  handlers: { exits: () => process.exit(7) },
  hooks: [{ request: ({ headers }) => ({ headers: { ...headers, 'x-thread': String(threadId) } }) }],
  pipelines: [{
    open: () => { if (only) writeFileSync(new URL('./only.txt', import.meta.url), '', { flag: 'wx' }); log('open') },
    process: (item) => ({ ...item, pipeline: threadId }),
    close: () => log('close'),
  }],
  onError: ({ page }) => page.item({ thread: threadId }),
  onItem: () => log('item ' + threadId),
  onClose: () => log('closed ' + threadId),
})
`
const DEFINITION = {
  name: 'threads',
  hooks: [{ request: () => {} }],
  pipelines: [{ process: (item: unknown) => item, close: () => {} }],
  onError: () => {},
  onClose: () => {},
} as AnySpider
const { normalize } = testRules(new FakeClock())

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'threads-'))
  writeFileSync(join(folder, 'spider.mjs'), SPIDER)
})
afterAll(() => rmSync(folder, { recursive: true }))

function threads(args: Record<string, string> = {}): ThreadedCalls {
  const one = () =>
    new IsolatedCalls(new FakeClock(), DEFINITION, {
      ...{ file: join(folder, 'spider.mjs'), memoryMb: 64, args, normalizer: {}, limitMs: 20_000 },
    })
  return new ThreadedCalls(one(), one())
}

function pageFor(handler: string): Page {
  return new Page({
    request: { url: 'http://a.test/', handler, depth: 1, meta: {} },
    ...{ attempt: 1, status: 200, headers: [['content-type', 'text/html']], normalize },
    bytes: Buffer.from('<h1>a</h1>'),
  })
}

/** The log since the last call, sorted: threads write to it at the same time. */
function takeLog(): string[] {
  const lines = readFileSync(join(folder, 'log.txt'), 'utf8').trim().split('\n')
  writeFileSync(join(folder, 'log.txt'), '')
  return lines.toSorted()
}

describe('calls in several threads', () => {
  it('run handlers and pipelines of pages in all of them, and all else in the first', async () => {
    const calls = threads()
    await calls.open()
    const results = await Promise.all(Array.from({ length: 6 }, () => calls.onPage(pageFor('parse'))))
    const items = results.map((result) => (result as CallResult).items[0])
    for (const item of items) expect(item?.['pipeline']).toBe(item?.['thread'])
    const used = new Set(items.map((item) => Number(item?.['thread'])))
    expect(used.size).toBe(2)

    const first = Math.min(...used)
    const request = { url: 'http://a.test/', handler: 'parse', depth: 0 }
    expect(await calls.onRequest(request)).toMatchObject({ headers: { 'x-thread': String(first) } })
    const error = { code: 'x', reason: '', url: '', attempts: 1, page: pageFor('parse') }
    expect(await calls.onError(error)).toMatchObject({ items: [{ thread: first }] })
    await calls.onItem({})
    await calls.onClose(new StatsCounter().snapshot(0), 'finished')
    await calls.close((failure) => expect(failure).toBeUndefined())
    expect(takeLog()).toEqual(['close', 'close', `closed ${first}`, `item ${first}`, 'open', 'open'])
  }, 60_000)

  it('fail only for the page that ends its thread', async () => {
    const calls = threads()
    await calls.open()
    const pages = ['parse', 'exits', 'parse', 'parse', 'parse'].map((name) => calls.onPage(pageFor(name)))
    const results = await Promise.allSettled(pages)
    expect(results[1]).toMatchObject({ status: 'rejected', reason: expect.any(HandlerThreadEnded) })
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    await calls.close(() => {})
    takeLog()
  }, 60_000)

  it('close all pipelines if those of one thread cannot be opened', async () => {
    await expect(threads({ only: 'one' }).open()).rejects.toThrow('EEXIST')
    expect(takeLog()).toEqual(['close', 'open'])
  }, 60_000)
})
