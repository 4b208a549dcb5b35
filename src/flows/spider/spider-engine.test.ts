import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { quiet } from '../../../testing/leap-clock.ts'
import type { Script } from '../../../testing/scripted-fetcher.ts'
import { followAll, inTurn, type LabWeb, linksTo, SpiderLab } from '../../../testing/spider-lab.ts'
import { TooManyHandlerErrors } from './handler-errors.ts'
import type { Page } from './handler-page.ts'
import { drop, retryLater } from './hooks.ts'
import { RequestOutput } from './output.ts'
import type { AnySpider } from './spider-definition.ts'

const HOME = 'http://a.test/'
const never = new Promise<never>(() => {})

/** A page of links to /1 to /n, each of which is an empty page. */
function site(n: number, origin = 'http://a.test'): LabWeb {
  const paths = Array.from({ length: n }, (_, i) => `/${i + 1}`)
  return {
    [`${origin}/`]: linksTo(...paths),
    ...Object.fromEntries(paths.map((path) => [origin + path, path])),
  }
}

describe('page.meta', () => {
  it('is checked by the schema of its handler when it is read; a request with other meta fails', async () => {
    const lab = new SpiderLab(site(3))
    const seen: unknown[] = []
    await lab.run({
      start: HOME,
      meta: { list: z.object({ page: z.number() }) },
      *parse(page: Page) {
        yield page.follow('/1', { handler: 'list', meta: { page: 1, other: true } })
        yield page.follow('/2', { handler: 'list', meta: { page: 'two' } })
        yield page.follow('/3', { handler: 'list' })
      },
      handlers: {
        list(page: Page) {
          // The last page does not read it.
          if (!page.url.endsWith('/3')) seen.push(page.meta)
        },
      },
    })
    expect(seen).toEqual([{ page: 1 }])
    expect(lab.stats.failed).toEqual({ 'meta-invalid': 1 })
    expect(lab.stats.failures[0]?.reason).toMatch(
      /^MetaInvalid: the meta of this request does not match the schema of handler list: page: /,
    )
  })
})

describe('a crawl', () => {
  it('handles each page that can be reached once, after robots.txt, and then is finished', async () => {
    const lab = new SpiderLab({
      'http://a.test/robots.txt': 'User-agent: *\nDisallow: /private',
      [HOME]: linksTo('/1', '/2', '/1#again', '/private', 'http://b.test/'),
      'http://a.test/1': linksTo('/', '/2'),
      'http://a.test/2': linksTo('/3'),
      'http://a.test/3': 'end',
    })
    expect(await lab.run({ start: HOME, parse: followAll })).toBe('finished')
    expect(lab.web.requests[0]?.url).toBe('http://a.test/robots.txt')
    expect(lab.requested).toEqual([HOME, ...[1, 2, 3].map((n) => `http://a.test/${n}`)])
    expect((await lab.items()).map(({ url }) => url)).toEqual(lab.requested)
    expect(lab.stats).toMatchObject({
      pages: 4,
      items: 4,
      requests: 4,
      // Of /1 and /1#again, of / and /2 on /1.
      duplicates: 3,
      skipped: { scope: 1, 'robots.txt': 1 },
      failed: {},
      retries: {},
      hosts: 1,
    })
    expect(lab.web.judge.violations({ minGapMs: 100 })).toEqual([])
    expect(await lab.frontier.pending(lab.clock.now())).toMatchObject({ ready: 0, delayed: 0, leased: 0 })
    expect(lab.clock.timers).toBe(0)
  })

  it('does not store each page of a chain before it requests the next one', async () => {
    const pages = Array.from({ length: 40 }, (_, i) => [`http://a.test/${i}`, linksTo(`/${i + 1}`)])
    let settles = 0
    const lab = new SpiderLab(
      { ...Object.fromEntries(pages), 'http://a.test/40': 'end' },
      {
        settleEveryMs: 1_000,
        politeness: { delayMs: 0 },
        wrapFrontier: (frontier) => ({
          add: (requests, starts) => frontier.add(requests, starts),
          async lease(options) {
            // A database takes longer than a page of a fast server.
            await quiet()
            return frontier.lease(options)
          },
          leaseUnstored: (settlements, options) => frontier.leaseUnstored(settlements, options),
          pending: (now) => frontier.pending(now),
          close: () => frontier.close(),
          settle(settlements) {
            settles++
            return frontier.settle(settlements)
          },
        }),
      },
    )
    await lab.run({
      async *start() {
        yield 'http://a.test/0'
        // The first page is done when the start requests are complete.
        for (let i = 0; i < 30; i++) await quiet()
      },
      parse: followAll,
    })
    expect(lab.requested).toHaveLength(41)
    expect(await lab.items()).toHaveLength(41)
    expect(settles).toBeLessThan(10)
  })

  it('is over at once when there is nothing to start with', async () => {
    const lab = new SpiderLab({})
    expect(await lab.run({ start: [], parse: followAll })).toBe('finished')
  })

  it('requests hosts concurrently, each with its own delay', async () => {
    const hosts = Array.from({ length: 8 }, (_, i) => `http://h${i}.test`)
    const lab = new SpiderLab(Object.assign({}, ...hosts.map((host) => site(5, host))), { threads: 8 })
    const before = lab.clock.now()
    await lab.run({ start: hosts, parse: followAll })
    expect(lab.requested).toHaveLength(48)
    expect(lab.web.judge.violations({ minGapMs: 100 })).toEqual([])
    expect(lab.clock.now() - before).toBeLessThan(2_000)
  })

  it('goes to the handlers that are named, with the meta left for them', async () => {
    const lab = new SpiderLab({ [HOME]: linksTo('/1'), 'http://a.test/1': 'x' })
    const seen: unknown[] = []
    await lab.run({
      start: HOME,
      parse: (page) => page.followAll('a', { handler: 'detail', meta: { from: page.url } }),
      handlers: { detail: ({ url, meta, depth, attempt }) => void seen.push({ url, meta, depth, attempt }) },
    })
    expect(seen).toEqual([{ url: 'http://a.test/1', meta: { from: HOME }, depth: 1, attempt: 1 }])
  })

  it('sends what the options of a request say', async () => {
    const lab = new SpiderLab({ [HOME]: 'x', 'http://a.test/api': '{}' })
    await lab.run({
      start: HOME,
      *parse(page) {
        yield page.follow('/api', { json: { n: 1 }, headers: { 'X-A': '1' }, handler: 'done' })
        yield page.follow('/api', { json: { n: 2 }, handler: 'done' })
        yield page.follow('/api', { json: { n: 2 }, handler: 'done' })
        yield page.follow('/api', { body: Uint8Array.of(255), method: 'PUT', handler: 'done' })
      },
      handlers: { done: () => {} },
    })
    const sent = lab.web.requests
      .slice(2)
      .map(({ url, method, body, headers }) => ({ url, method, body, headers }))
    expect(sent).toEqual([
      {
        url: 'http://a.test/api',
        method: 'POST',
        body: '{"n":1}',
        headers: { 'content-type': 'application/json', 'x-a': '1' },
      },
      {
        url: 'http://a.test/api',
        method: 'POST',
        body: '{"n":2}',
        headers: { 'content-type': 'application/json' },
      },
      { url: 'http://a.test/api', method: 'PUT', body: Buffer.of(255), headers: undefined },
    ])
    expect(lab.stats.duplicates).toBe(1)
  })

  it('repeats requests with dontFilter', async () => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    let left = 3
    await lab.run({
      start: HOME,
      parse: (page) => (left-- > 0 ? page.follow(HOME, { dontFilter: true }) : undefined),
    })
    expect(lab.requested).toHaveLength(4)
  })

  it('lets a request wait for its time, however long', async () => {
    const lab = new SpiderLab({ [HOME]: 'x', 'http://a.test/later': 'x' })
    const times: number[] = []
    await lab.run({
      start: HOME,
      parse(page) {
        times.push(lab.clock.now())
        return page.url === HOME ? page.follow('/later', { delaySeconds: 7_200 }) : undefined
      },
    })
    const [first = 0, second = 0] = times
    expect(second - first).toBeGreaterThanOrEqual(7_200_000)
    expect(second - first).toBeLessThan(7_201_000)
  })

  it('hands on pages of errors when they are wanted, with what they say', async () => {
    const lab = new SpiderLab({
      [HOME]: linksTo('/404', '/410', '/500'),
      'http://a.test/410': { status: 410 },
      'http://a.test/500': { status: 500 },
    })
    const statuses: number[] = []
    await lab.run({
      start: HOME,
      handleStatuses: [404, 500],
      *parse(page) {
        statuses.push(page.status)
        yield* page.followAll('a')
      },
    })
    expect(statuses).toEqual([200, 404, 500])
    expect(lab.stats).toMatchObject({ pages: 3, failed: { 'http-410': 1 }, retries: {} })
    expect(lab.web.requests.at(-1)).toMatchObject({ keepErrorBody: true })
  })

  it('does not read error bodies that no handler uses', async () => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    await lab.run({ start: HOME, parse: () => {} })
    expect(lab.web.requests.at(-1)?.keepErrorBody ?? false).toBe(false)
  })

  it('reads a cache before the network', async () => {
    const kept = new Map<string, unknown>()
    const lab = new SpiderLab(site(3), {
      cache: {
        find: async ({ url }) => kept.get(url) as never,
        keep: async ({ url }, outcome) => void kept.set(url, outcome),
      },
    })
    await lab.run({ start: HOME, parse: followAll })
    expect(kept.size).toBe(4)
    await lab.frontier.add([{ url: HOME, handler: 'parse', depth: 0, dontFilter: true }])
    const before = lab.web.requests.length
    await lab.run({ start: HOME, parse: followAll })
    expect(lab.web.requests).toHaveLength(before)
    expect(lab.stats).toMatchObject({ pages: 1, requests: 0, skipped: { cache: 1 } })
  })
})

describe('a redirect', () => {
  it('is a request of its own, through the queue and robots.txt of its host', async () => {
    const lab = new SpiderLab({
      [HOME]: { status: 302, to: 'http://b.test/x' },
      'http://b.test/x': { status: 301, to: '/private' },
      'http://b.test/robots.txt': 'User-agent: *\nDisallow: /private',
    })
    await lab.run({ start: HOME, allow: '*', parse: followAll })
    expect(lab.web.requests.map(({ url }) => url)).toEqual([
      'http://a.test/robots.txt',
      HOME,
      'http://b.test/robots.txt',
      'http://b.test/x',
    ])
    expect(lab.stats).toMatchObject({ pages: 0, redirects: 2, requests: 2, skipped: { 'robots.txt': 1 } })
  })

  it('is not followed in a circle, nor for ever', async () => {
    const lab = new SpiderLab({
      [HOME]: { status: 302, to: '/1' },
      'http://a.test/1': { status: 302, to: '/' },
      ...Object.fromEntries(
        [10, 11, 12, 13, 14, 15].map((n) => [`http://a.test/${n}`, { status: 302, to: `/${n + 1}` }]),
      ),
    })
    await lab.run({ start: [HOME, 'http://a.test/10'], parse: followAll })
    expect(lab.requested.sort()).toEqual([HOME, ...[1, 10, 11, 12, 13].map((n) => `http://a.test/${n}`)])
    expect(lab.stats.skipped).toEqual({ redirect: 2 })
  })
})

describe('a request that fails', () => {
  it.each<[string, Script, string, number, readonly number[]]>([
    ['serverError', { status: 500 }, 'http-500', 3, [5_000, 10_000]],
    ['network', { status: 'reset' }, 'network-reset', 3, [10_000, 20_000]],
    ['rateLimited', { status: 429 }, 'http-429', 6, [30_000, 60_000, 120_000, 240_000, 480_000]],
  ])('is tried again after growing pauses: %s', async (failure, script, code, times, pauses) => {
    const lab = new SpiderLab({ [HOME]: script })
    await lab.run({ start: HOME, parse: followAll })
    const starts = lab.web.judge.hits.filter(({ path }) => path === '/').map(({ start }) => start)
    expect(starts).toHaveLength(times)
    for (const [i, pause] of pauses.entries()) {
      const waited = (starts[i + 1] ?? 0) - (starts[i] ?? 0)
      // A response takes 20 ms, and results take effect within a second.
      expect(waited).toBeGreaterThanOrEqual(pause)
      expect(waited).toBeLessThan(pause + 1_500)
    }
    expect(lab.stats).toMatchObject({ retries: { [failure]: times - 1 }, failed: { [code]: 1 }, pages: 0 })
    expect(await lab.failed()).toMatchObject([{ code, attempts: times, request: { url: HOME } }])
  })

  it.each([404, 410, 401])('with %i is not tried again', async (status) => {
    const lab = new SpiderLab({ [HOME]: { status } })
    await lab.run({ start: HOME, parse: followAll })
    expect(lab.requested).toHaveLength(1)
    expect(await lab.failed()).toMatchObject([
      { code: `http-${status}`, reason: `the server returned ${status}`, attempts: 1 },
    ])
  })

  it('may succeed the next time', async () => {
    const lab = new SpiderLab({ [HOME]: inTurn({ status: 503 }, 'reset', { body: 'well' }) })
    const attempts: number[] = []
    await lab.run({ start: HOME, parse: ({ attempt }) => void attempts.push(attempt) })
    expect(attempts).toEqual([2])
    expect(lab.stats).toMatchObject({ pages: 1, failed: {} })
  })

  it('is retried no sooner than the server allows', async () => {
    const lab = new SpiderLab({ [HOME]: inTurn({ status: 429, retryAfterMs: 250_000 }, 'well') })
    await lab.run({ start: HOME, parse: () => {} })
    expect(lab.web.judge.violations({ minGapMs: 100, maxRepeats: 1 })).toEqual([])
    const [first, second] = lab.web.judge.hits.filter(({ path }) => path === '/')
    expect((second?.start ?? 0) - (first?.end ?? 0)).toBeGreaterThanOrEqual(250_000)
    expect(lab.stats.pages).toBe(1)
  })

  it('by a server that never responds is broken off', async () => {
    const lab = new SpiderLab({ [HOME]: inTurn({ status: 'hang' }, 'well') }, { hungAfterMs: 60_000 })
    await lab.run({ start: HOME, parse: () => {}, retry: { retries: { tooSlow: 1 } } })
    expect(lab.stats).toMatchObject({ pages: 1, retries: { tooSlow: 1 } })
  })

  it('by the rules of the spider is tried as often as they say', async () => {
    const lab = new SpiderLab({ [HOME]: { status: 500 } })
    await lab.run({
      start: HOME,
      parse: followAll,
      retry: { retries: { serverError: 4 }, delaySeconds: { serverError: 1 }, maxDelaySeconds: 2 },
    })
    expect(lab.requested).toHaveLength(5)
  })

  it('waits for its host when that is parked, and is given up in the end', async () => {
    const lab = new SpiderLab(
      {
        ...site(6),
        ...Object.fromEntries(
          [1, 2, 3, 4, 5, 6].map((n) => [`http://a.test/${n}`, { status: 'reset' as const }]),
        ),
      },
      { politeness: { delayMs: 100, backoffMs: 100, maxFailures: 2, parkMs: 600_000 } },
    )
    const before = lab.clock.now()
    await lab.run({ start: HOME, parse: followAll })
    const failed = await lab.failed()
    expect(failed).toHaveLength(6)
    expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(['network-reset', 'blocked']))
    expect(lab.clock.now() - before).toBeGreaterThan(1_200_000)
    // A dead host is not requested three times per page.
    expect(lab.requested.length).toBeLessThan(1 + 6 * 3)
  })

  it('is heard of by onError, which may make items and requests of it', async () => {
    const lab = new SpiderLab({ [HOME]: linksTo('/gone'), 'http://a.test/instead': 'x' })
    const errors: unknown[] = []
    await lab.run({
      start: HOME,
      parse: (page) => page.followAll('a'),
      *onError({ code, reason, url, attempts, page }) {
        errors.push({ code, reason, url, attempts, status: page.status })
        yield page.item({ missing: url })
        yield page.follow('/instead', { handler: 'parse' })
      },
    })
    expect(errors).toEqual([
      {
        code: 'http-404',
        reason: 'the server returned 404',
        url: 'http://a.test/gone',
        attempts: 1,
        status: 404,
      },
    ])
    expect(await lab.items()).toEqual([{ missing: 'http://a.test/gone' }])
    expect(lab.requested.at(-1)).toBe('http://a.test/instead')
  })

  it('fails all the same when onError throws', async () => {
    const told: string[] = []
    const lab = new SpiderLab({}, { onHandlerError: (where) => told.push(where) })
    const onError = () => {
      throw new Error('no')
    }
    expect(await lab.run({ start: HOME, parse: followAll, onError })).toBe('finished')
    expect(told).toEqual([`onError, for ${HOME}`])
    expect(await lab.failed()).toMatchObject([{ code: 'http-404' }])
  })
})

describe('robots.txt', () => {
  it('that cannot be had lets pages wait, and fail in the end', async () => {
    const lab = new SpiderLab({ 'http://a.test/robots.txt': { status: 'reset' }, [HOME]: 'x' })
    await lab.run({ start: [HOME, 'http://a.test/1'], parse: followAll })
    expect(lab.requested).toEqual([])
    expect(lab.stats).toMatchObject({ pages: 0, retries: { robots: 4 }, failed: { 'robots-unreachable': 2 } })
    expect(await lab.failed()).toMatchObject([{ attempts: 3 }, { attempts: 3 }])
  })

  it.each(['dns-not-found', 'connect-refused'] as const)(
    'of a host that cannot be reached (%s) leaves the failure to the pages',
    async (cause) => {
      const lab = new SpiderLab({ 'http://a.test/robots.txt': { status: cause }, [HOME]: 'x' })
      await lab.run({ start: [HOME, 'http://a.test/1'], parse: followAll })
      expect(lab.stats).toMatchObject({
        pages: 0,
        retries: { network: 4 },
        failed: { [`network-${cause}`]: 2 },
      })
      expect(await lab.failed()).toMatchObject([{ attempts: 3 }, { attempts: 3 }])
    },
  )

  it('that comes back lets them through', async () => {
    const lab = new SpiderLab({
      'http://a.test/robots.txt': inTurn({ status: 500 }, 'User-agent: *\nDisallow: /x'),
      [HOME]: 'x',
    })
    await lab.run({ start: HOME, parse: followAll })
    expect(lab.stats).toMatchObject({ pages: 1, retries: { robots: 1 } })
  })

  it('sets the delay of its host', async () => {
    const lab = new SpiderLab({ 'http://a.test/robots.txt': 'User-agent: *\nCrawl-delay: 3', ...site(3) })
    await lab.run({ start: HOME, parse: followAll })
    expect(lab.web.judge.violations({ minGapMs: 3_000 })).toEqual([])
    expect(lab.stats.pages).toBe(4)
  })

  it('with a longer delay than the limit excludes its host', async () => {
    const lab = new SpiderLab({ 'http://a.test/robots.txt': 'User-agent: *\nCrawl-delay: 301', [HOME]: 'x' })
    await lab.run({ start: HOME, parse: followAll })
    expect(lab.requested).toEqual([])
    expect(lab.stats.skipped).toEqual({ 'robots.txt': 1 })
  })
})

describe('a handler that fails', () => {
  it.each(['a\nb', '☃'])(
    'because no header can be %j is a dead letter, and the crawl continues',
    async (value) => {
      const lab = new SpiderLab(site(2))
      await lab.run({
        start: HOME,
        *parse(page) {
          yield* page.followAll('a')
          if (page.url.endsWith('/1')) yield page.follow('/lost', { headers: { 'x-a': value } })
        },
      })
      expect(lab.stats).toMatchObject({ pages: 3, failed: { 'handler-threw': 1 } })
      expect(await lab.failed()).toMatchObject([{ reason: expect.stringContaining('header x-a') }])
    },
  )

  it('leaves nothing behind but a dead letter with its stack, and the crawl continues', async () => {
    const lab = new SpiderLab(site(3))
    await lab.run({
      start: HOME,
      *parse(page) {
        yield page.item({ url: page.url })
        yield* page.followAll('a')
        if (page.url.endsWith('/2')) {
          yield page.follow('/lost')
          throw new RangeError('half-way')
        }
      },
    })
    expect((await lab.items()).map(({ url }) => url)).toEqual([HOME, 'http://a.test/1', 'http://a.test/3'])
    expect(lab.requested).not.toContain('http://a.test/lost')
    expect(lab.stats).toMatchObject({ pages: 4, items: 3, failed: { 'handler-threw': 1 } })
    expect(await lab.failed()).toMatchObject([
      {
        code: 'handler-threw',
        reason: 'RangeError: half-way',
        stack: expect.stringContaining('spider-engine.test.ts'),
      },
    ])
  })

  it.each<[string, AnySpider['parse']]>([
    ['a promise without end', () => never],
    [
      'a loop without end',
      () => {
        for (;;);
      },
    ],
    [
      'an async generator without end',
      async function* (page) {
        yield page.item({ n: 1 })
        await never
      },
    ],
  ])('by not ending is given up: %s', async (_, parse) => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    expect(await lab.run({ start: HOME, ...(parse && { parse }), limits: { handlerSeconds: 0.05 } })).toBe(
      'finished',
    )
    expect(await lab.items()).toEqual([])
    expect(await lab.failed()).toMatchObject([
      { code: 'handler-timeout', reason: 'handler parse: not finished after 0.05 s (limits.handlerSeconds)' },
    ])
  })

  it('by handing back something else is told so', async () => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    await lab.run({ start: HOME, parse: (() => ['x']) as never })
    expect(await lab.failed()).toMatchObject([
      { code: 'handler-threw', reason: expect.stringContaining('page.item') },
    ])
  })

  it('with two bodies has a clear reason', async () => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    await lab.run({ start: HOME, parse: (page) => page.follow('/x', { body: 'x', json: 1 }) })
    expect(await lab.failed()).toMatchObject([{ reason: expect.stringContaining('one body') }])
  })

  it('with an unknown handler, or a priority that is not a number, has a clear reason', async () => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    await lab.run({
      start: ['a', 'b'].map((handler) => new RequestOutput(HOME, { handler, dontFilter: true })),
      handlers: {
        a: (page) => page.follow('/1', { handler: 'constructor' }),
        b: (page) => page.follow('/2', { handler: 'a', priority: Number.NaN }),
      },
    })
    expect((await lab.failed()).map(({ reason }) => reason)).toEqual([
      'TypeError: the spider lab has no handler "constructor" (it has a, b)',
      expect.stringContaining('not a finite number'),
    ])
    expect(lab.requested).toEqual([HOME, HOME])
  })

  it('must exist for every start request', async () => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    const start = [new RequestOutput(HOME, { handler: 'old' })]
    await expect(lab.run({ start, parse: () => {} })).rejects.toThrow(
      'start: "http://a.test/": the spider lab has no handler "old" (it has parse)',
    )
  })

  it('too often in a row stops the crawl with a word for the user; nothing is lost', async () => {
    const lab = new SpiderLab(site(50))
    const crawl = lab.run({
      start: HOME,
      parse(page) {
        if (page.url !== HOME) throw new Error('broken')
        return page.followAll('a')
      },
      limits: { maxHandlerErrorsInRow: 5 },
    })
    await expect(crawl).rejects.toThrow(TooManyHandlerErrors)
    await expect(crawl).rejects.toThrow(/5 handlers in a row failed, the last one parse, for http.*broken/)
    const { ready, leased } = await lab.frontier.pending(lab.clock.now())
    expect(leased).toBe(0)
    expect(ready + (await lab.failed()).length).toBe(50)
  })

  it('now and then, or in any number where that is wished, does not stop it', async () => {
    const sometimes = new SpiderLab(site(30))
    let n = 0
    const parse = (page: Page) => {
      if (page.url !== HOME && ++n % 5 !== 0) throw new Error('no')
      return page.followAll('a')
    }
    await sometimes.run({ start: HOME, parse, limits: { maxHandlerErrorsInRow: 5 } })
    expect(sometimes.stats.pages).toBe(31)
    const always = new SpiderLab(site(30))
    await always.run({
      start: HOME,
      limits: { maxHandlerErrorsInRow: 0 },
      parse: (page) => (page.url === HOME ? page.followAll('a') : Promise.reject(new Error('no'))),
    })
    expect(always.stats.failed).toEqual({ 'handler-threw': 30 })
  })
})

describe('items', () => {
  it('go through the schema and the pipelines; what they refuse is counted', async () => {
    const lab = new SpiderLab(site(6))
    await lab.run({
      start: HOME,
      item: z.object({ n: z.coerce.number().max(5) }) as AnySpider['item'] & object,
      *parse(page) {
        yield* page.followAll('a')
        if (page.url !== HOME) yield page.item({ n: new URL(page.url).pathname.slice(1) })
      },
      pipelines: [
        { process: (item) => ((item as { n: number }).n === 2 ? drop('two') : item) },
        { process: async (item, { url }) => ({ ...(item as object), url }) },
      ],
    })
    expect(await lab.items()).toEqual([1, 3, 4, 5].map((n) => ({ n, url: `http://a.test/${n}` })))
    expect(await lab.rejected()).toEqual([[{ n: '6' }, expect.stringMatching(/^n: /)]])
    expect(lab.stats).toMatchObject({ items: 4, rejected: 1, dropped: { two: 1 }, failed: {} })
  })

  it.each<[string, () => never | Promise<never>, string]>([
    [
      'throws',
      () => {
        throw new Error('broken pipe')
      },
      'handler-threw',
    ],
    ['never ends', () => never, 'handler-timeout'],
  ])('of a page whose pipeline %s are none', async (_, process, code) => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    await lab.run({
      start: HOME,
      *parse(page) {
        yield page.follow('/1')
        yield page.item({ n: 1 })
      },
      pipelines: [{ process }],
    })
    expect(await lab.items()).toEqual([])
    expect(lab.requested).toEqual([HOME])
    expect(await lab.failed()).toMatchObject([{ code }])
  })
})

describe('hooks', () => {
  it('see each request before it is sent and each page before it is handled', async () => {
    const lab = new SpiderLab({ [HOME]: linksTo('/1'), 'http://a.test/1': 'x' })
    const seen: string[] = []
    const hook = (name: string) => ({
      request: ({ url, headers }: { url: string; headers?: object }) => {
        seen.push(`${name} > ${url}`)
        return { headers: { ...headers, [`X-${name}`]: '1' } }
      },
      response: ({ url }: Page) => void seen.push(`${name} < ${url}`),
    })
    await lab.run({ start: HOME, parse: followAll, hooks: [hook('a'), hook('b')] })
    const both = (url: string) => [`a > ${url}`, `b > ${url}`, `b < ${url}`, `a < ${url}`]
    expect(seen).toEqual([...both(HOME), ...both('http://a.test/1')])
    expect(lab.web.requests.at(-1)?.headers).toEqual({ 'x-a': '1', 'x-b': '1' })
  })

  it('drop requests and pages with a reason that is counted', async () => {
    const lab = new SpiderLab(site(3))
    await lab.run({
      start: HOME,
      parse: followAll,
      hooks: [
        {
          request: ({ url }) => (url.endsWith('/1') ? drop('not one') : undefined),
          response: ({ url }) => (url.endsWith('/2') ? drop('not two') : undefined),
        },
      ],
    })
    expect(lab.requested).toEqual([HOME, 'http://a.test/2', 'http://a.test/3'])
    expect(lab.stats).toMatchObject({ pages: 2, skipped: { 'not one': 1, 'not two': 1 } })
  })

  it('that drop a request cause no host delay', async () => {
    const lab = new SpiderLab(site(20))
    const hooks = [{ request: ({ url }: { url: string }) => (url === HOME ? undefined : drop('no')) }]
    const before = lab.clock.now()
    await lab.run({ start: HOME, parse: followAll, hooks })
    expect(lab.clock.now() - before).toBeLessThan(1_500)
    expect(lab.stats.skipped).toEqual({ no: 20 })
  })

  it('retry a page later, while retries are left', async () => {
    const lab = new SpiderLab({ [HOME]: 'captcha' })
    await lab.run({
      start: HOME,
      parse: followAll,
      hooks: [{ response: () => retryLater('captcha', 60) }],
    })
    const times = lab.web.judge.hits.filter(({ path }) => path === '/').map(({ start }) => start)
    expect(times).toHaveLength(3)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(60_000)
    expect(await lab.failed()).toMatchObject([{ code: 'hook-refused', reason: 'captcha', attempts: 3 }])
    expect(lab.stats).toMatchObject({ pages: 0, items: 0 })
  })

  it.each<[string, object, string]>([
    ['request', { request: () => Promise.reject(new Error('no')) }, 'hook-threw'],
    ['response', { response: () => Promise.reject(new Error('no')) }, 'handler-threw'],
    ['hanging request', { request: () => never }, 'hook-threw'],
    ['hanging response', { response: () => never }, 'handler-timeout'],
  ])('that fail, fail the request: %s', async (_, hook, code) => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    expect(await lab.run({ start: HOME, parse: followAll, hooks: [hook] })).toBe('finished')
    expect(await lab.failed()).toMatchObject([{ code, attempts: 1 }])
  })
})

describe('onIdle', () => {
  it('keeps the crawl going while it has requests', async () => {
    const lab = new SpiderLab(site(3))
    const idle: number[] = []
    await lab.run({
      start: HOME,
      parse: () => {},
      *onIdle({ pages }) {
        idle.push(pages)
        if (pages <= 2) yield new RequestOutput(`http://a.test/${pages}`)
      },
    })
    expect(idle).toEqual([1, 2, 3])
    expect(lab.stats.pages).toBe(3)
  })

  it('that returns only known requests ends it', async () => {
    const lab = new SpiderLab({ [HOME]: 'x' })
    expect(await lab.run({ start: HOME, parse: () => {}, onIdle: () => new RequestOutput(HOME) })).toBe(
      'finished',
    )
    expect(lab.stats.duplicates).toBe(1)
  })

  it('that throws is told of, and ends it', async () => {
    const told: unknown[] = []
    const lab = new SpiderLab(
      { [HOME]: 'x' },
      { onHandlerError: (where, error) => told.push([where, error]) },
    )
    const onIdle = () => {
      throw new Error('no')
    }
    expect(await lab.run({ start: HOME, parse: () => {}, onIdle })).toBe('finished')
    expect(told).toEqual([['onIdle', new Error('no')]])
  })
})

describe('a link rule spider', () => {
  it('needs no handler for the pages it only looks through', async () => {
    const lab = new SpiderLab({
      [HOME]: linksTo('/list/1', '/item/1', '/about'),
      'http://a.test/list/1': linksTo('/list/2', '/item/2'),
      'http://a.test/list/2': linksTo('/item/3'),
      'http://a.test/item/1': linksTo('/item/99'),
      'http://a.test/item/2': 'x',
      'http://a.test/item/3': 'x',
    })
    await lab.run({
      start: HOME,
      rules: [{ links: { allow: /\/item\// }, handler: 'item' }, { links: { allow: /\/list\// } }],
      handlers: { item: (page) => page.item({ url: page.url, text: page.meta['linkText'] }) },
    })
    expect(await lab.items()).toEqual(
      [1, 2, 3].map((n) => ({ url: `http://a.test/item/${n}`, text: `to /item/${n}` })),
    )
    expect(lab.stats).toMatchObject({ pages: 6, failed: {} })
  })
})

describe('when the frontier fails', () => {
  const broken = () => Promise.reject(new Error('the disk is full'))

  it.each(['add', 'lease', 'settle', 'pending'] as const)(
    'to %s, the crawl ends with that and sends no more requests',
    async (call) => {
      let calls = 0
      const lab = new SpiderLab(site(200), {
        settleEveryMs: 1_000,
        wrapFrontier: (frontier) =>
          new Proxy(frontier, {
            get(_, name) {
              if (name === call && ++calls > (call === 'add' ? 0 : 1)) return broken
              const value: unknown = Reflect.get(frontier, name)
              return typeof value === 'function' ? value.bind(frontier) : value
            },
          }),
      })
      const crawl = lab.run({ start: HOME, parse: followAll })
      await expect(crawl).rejects.toThrow('the disk is full')
      const requested = lab.requested.length
      expect(requested).toBeLessThan(60)
      while (lab.clock.leap()) await quiet()
      expect(lab.requested).toHaveLength(requested)
    },
  )
})
