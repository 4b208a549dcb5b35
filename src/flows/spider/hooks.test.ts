import { beforeEach, describe, expect, it } from 'vitest'
import { LeapClock } from '../../../testing/leap-clock.ts'
import { testRules } from '../../../testing/test-rules.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { Page } from './handler-page.ts'
import { drop, HookRunner, retryLater, type SpiderHook } from './hooks.ts'
import { TimeLimit, TimeLimitExceeded } from './time-limit.ts'

const REQUEST: CrawlRequest = { url: 'http://a.test/', handler: 'parse', depth: 0, headers: { a: '1' } }
let clock: LeapClock
let runner: (...hooks: readonly SpiderHook[]) => HookRunner
let page: Page
beforeEach(() => {
  clock = new LeapClock()
  runner = (...hooks) => new HookRunner(hooks, new TimeLimit(clock, 1_000))
  const { normalize } = testRules(clock)
  page = new Page({
    request: REQUEST,
    attempt: 1,
    status: 200,
    headers: [],
    bytes: new Uint8Array(),
    normalize,
  })
})

describe('onRequest', () => {
  it('shows the request to each hook in order, as the one before left it', async () => {
    const seen: unknown[] = []
    const hooks: SpiderHook[] = [
      { request: ({ headers }) => ({ headers: { ...headers, 'X-One': '1' } }) },
      { response: () => {} },
      { request: ({ headers }) => void seen.push(headers) },
      { request: async ({ headers }) => ({ headers: { ...headers, two: '2' }, meta: { m: 1 } }) },
    ]
    expect(await runner(...hooks).onRequest(REQUEST)).toEqual({
      ...REQUEST,
      headers: { a: '1', 'x-one': '1', two: '2' },
      meta: { m: 1 },
    })
    expect(seen).toEqual([{ a: '1', 'x-one': '1' }])
  })

  it('changes headers and meta alone, whatever a hook returns', async () => {
    const hook = { request: () => ({ url: 'http://evil.test/', headers: {} }) }
    expect(await runner(hook).onRequest(REQUEST)).toMatchObject({ url: 'http://a.test/', headers: {} })
  })

  it('ends with the first hook that drops it', async () => {
    const never: SpiderHook = {
      request() {
        throw new Error('called')
      },
    }
    expect(await runner({ request: () => drop('no') }, never).onRequest(REQUEST)).toEqual(drop('no'))
  })

  it('rejects for a header that cannot be sent', async () => {
    const hook = { request: () => ({ headers: { 'x-a': 'b\nx-evil: 1' } }) }
    await expect(runner(hook).onRequest(REQUEST)).rejects.toThrow('header x-a')
  })

  it('rejects with what a hook throws, and for one that never ends', async () => {
    const broken: SpiderHook = {
      request() {
        throw new RangeError('no')
      },
    }
    await expect(runner(broken).onRequest(REQUEST)).rejects.toThrow(RangeError)
    const hanging = runner({ request: () => new Promise(() => {}) }).onRequest(REQUEST)
    await expect(clock.run(hanging)).rejects.toThrow(TimeLimitExceeded)
  })
})

describe('onResponse', () => {
  it('shows the page to the hooks in the reverse order', async () => {
    const seen: number[] = []
    const hooks = [1, 2, 3].map((n) => ({ response: () => void seen.push(n) }))
    expect(await runner(...hooks).onResponse(page)).toBeUndefined()
    expect(seen).toEqual([3, 2, 1])
  })

  it.each([drop('no'), retryLater('captcha', 5)])('ends with the first verdict: %o', async (verdict) => {
    const never: SpiderHook = {
      response() {
        throw new Error('called')
      },
    }
    expect(await runner(never, { response: async () => verdict }).onResponse(page)).toBe(verdict)
  })
})
