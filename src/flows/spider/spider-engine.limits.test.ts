import { describe, expect, it } from 'vitest'
import { quiet } from '../../../testing/leap-clock.ts'
import { followAll, type LabWeb, linksTo, SpiderLab } from '../../../testing/spider-lab.ts'
import type { PageBudget } from '../../domain/frontier/page-budget.ts'
import type { Page } from './handler-page.ts'

/** A home page of links to `n` empty ones, for each host. */
function sites(hosts: number, n: number): { readonly web: LabWeb; readonly start: string[] } {
  const start = Array.from({ length: hosts }, (_, i) => `http://h${i}.test/`)
  const paths = Array.from({ length: n }, (_, i) => `/${i + 1}`)
  const web = Object.fromEntries(
    start.flatMap((home) => [
      [home, linksTo(...paths)],
      ...paths.map((path) => [new URL(path, home).href, path]),
    ]),
  )
  return { web, start }
}

describe('maxPages', () => {
  it.each([
    [1, 1],
    [1, 20],
    [64, 20],
    [64, 130],
    [64, 131],
  ])('is kept to the page: %i threads, %i pages', async (threads, maxPages) => {
    const { web, start } = sites(10, 12)
    const lab = new SpiderLab(web, { threads })
    const ended = await lab.run({ start, parse: followAll, limits: { maxPages } })
    const pages = Math.min(maxPages, 130)
    expect(ended).toBe(maxPages > 130 ? 'finished' : 'pages')
    expect(lab.stats.pages).toBe(pages)
    expect(lab.requested).toHaveLength(pages)
    expect(await lab.items()).toHaveLength(pages)
  })

  it('is kept although pages come in one after the other while more are waiting', async () => {
    const start = Array.from({ length: 200 }, (_, i) => `http://h${i}.test/`)
    const web = Object.fromEntries(start.map((url, i) => [url, { body: 'x', latencyMs: 10 + 7 * i }]))
    const lab = new SpiderLab(web, { threads: 64 })
    await lab.run({ start, parse: followAll, limits: { maxPages: 50 } })
    expect(lab.requested).toHaveLength(50)
  })

  it('does not count what failed or was redirected', async () => {
    const { web, start } = sites(1, 3)
    const lab = new SpiderLab({
      ...web,
      'http://h0.test/1': { status: 404 },
      'http://h0.test/2': { status: 302, to: '/9' },
      'http://h0.test/9': 'x',
    })
    await lab.run({ start, parse: followAll, limits: { maxPages: 3 } })
    expect(lab.stats.pages).toBe(3)
  })

  it('leaves the rest for the next run', async () => {
    const { web, start } = sites(2, 9)
    const lab = new SpiderLab(web)
    const spider = { start, parse: followAll, limits: { maxPages: 8 } }
    expect([await lab.run(spider), await lab.run(spider), await lab.run(spider)]).toEqual([
      'pages',
      'pages',
      'finished',
    ])
    expect(new Set(lab.requested).size).toBe(20)
    expect(lab.requested).toHaveLength(20)
  })
})

describe('maxPages of several workers', () => {
  /** The pages that other workers have fetched. */
  let others: number
  const limit = 20
  const budget = (): PageBudget => {
    let own = 0
    return {
      async reserve({ pages, kept, wanted }) {
        own += pages
        const left = Math.max(0, limit - own - others)
        return { reserved: Math.max(kept, Math.min(wanted, left)), left, isLost: false }
      },
    }
  }
  const { web, start } = sites(10, 12)

  it('counts the pages of the others', async () => {
    others = 15
    const lab = new SpiderLab(web, { threads: 8, pageBudget: budget() })
    expect(await lab.run({ start, parse: followAll, limits: { maxPages: limit } })).toBe('pages')
    expect(lab.requested).toHaveLength(5)
  })

  it('stops a worker before its first request if the others have reached it', async () => {
    others = limit
    const lab = new SpiderLab(web, { pageBudget: budget() })
    expect(await lab.run({ start, parse: followAll, limits: { maxPages: limit } })).toBe('pages')
    expect(lab.requested).toEqual([])
    expect(await lab.frontier.pending(lab.clock.now())).toMatchObject({ leased: 0 })
  })

  it('stops a worker that waits, within a second', async () => {
    others = 0
    const lab = new SpiderLab(web, { pageBudget: budget() })
    const parse = (page: Page) => page.follow('/later', { delaySeconds: 3_600 })
    const before = lab.clock.now()
    lab.clock.after(60_000, () => {
      others = limit
    })
    expect(await lab.run({ start: 'http://h0.test/', parse, limits: { maxPages: limit } })).toBe('pages')
    expect(lab.clock.now() - before).toBeLessThanOrEqual(62_000)
  })

  it('reports the limit also if the queue is empty', async () => {
    others = 0
    const lab = new SpiderLab({ 'http://h0.test/': 'x' }, { pageBudget: budget() })
    const parse = () => {
      others = limit - 1
    }
    expect(await lab.run({ start: 'http://h0.test/', parse, limits: { maxPages: limit } })).toBe('pages')
  })

  it('requeues the requests whose reservations were lost', async () => {
    let losses = 0
    const lab = new SpiderLab(
      { 'http://h0.test/': { body: 'x', latencyMs: 1_500 } },
      {
        pageBudget: {
          async reserve({ kept, wanted }) {
            // The first time that a request is in flight.
            const isLost = kept > 0 && losses++ === 0
            return { reserved: isLost ? 0 : wanted, left: limit, isLost }
          },
        },
      },
    )
    const parse = (page: Page) => page.item({ url: page.url })
    expect(await lab.run({ start: 'http://h0.test/', parse, limits: { maxPages: limit } })).toBe('finished')
    expect(lab.requested).toHaveLength(2)
    expect(await lab.items()).toHaveLength(1)
  })

  it('fails if the budget fails', async () => {
    const lab = new SpiderLab(web, { pageBudget: { reserve: () => Promise.reject(new Error('gone')) } })
    await expect(lab.run({ start, parse: followAll, limits: { maxPages: limit } })).rejects.toThrow('gone')
    expect(lab.requested).toEqual([])
  })
})

describe('maxPagesPerHost', () => {
  it.each([1, 5, 64])('is kept to the page with %i threads', async (threads) => {
    const { web, start } = sites(4, 20)
    const lab = new SpiderLab(web, { threads, politeness: { maxInFlight: 4, delayMs: 0 } })
    await lab.run({ start, parse: followAll, limits: { maxPagesPerHost: 7 } })
    const counts = Object.values(Object.groupBy(lab.requested, (url) => new URL(url).host)).map(
      (urls) => urls?.length,
    )
    expect(counts).toEqual([7, 7, 7, 7])
    expect(lab.stats).toMatchObject({ pages: 28, skipped: { 'limits.maxPagesPerHost': 56 } })
  })

  it('is reached although pages before fail, lead elsewhere or are not handled', async () => {
    const { web, start } = sites(1, 20)
    const lab = new SpiderLab({
      ...web,
      'http://h0.test/1': { status: 404 },
      'http://h0.test/2': { status: 302, to: '/3' },
      'http://h0.test/3': { status: 'reset' },
    })
    await lab.run({ start, parse: followAll, limits: { maxPagesPerHost: 5 } })
    expect(lab.stats.pages).toBe(5)
  })

  it('counts a page whose handler failed, and one of an error that was wanted', async () => {
    const { web, start } = sites(1, 20)
    const lab = new SpiderLab({ ...web, 'http://h0.test/1': { status: 404 } })
    await lab.run({
      start,
      handleStatuses: [404],
      parse(page) {
        if (page.url.endsWith('/2')) throw new Error('no')
        return page.followAll('a')
      },
      limits: { maxPagesPerHost: 5 },
    })
    expect(lab.stats.pages).toBe(5)
    expect(lab.requested).toHaveLength(5)
  })

  it('continues counting where the last run ended', async () => {
    const { web, start } = sites(2, 9)
    const lab = new SpiderLab(web, { hostPages: [['h0.test', 4]] })
    await lab.run({ start, parse: followAll, limits: { maxPagesPerHost: 5 } })
    const h0 = lab.requested.filter((url) => url.includes('h0'))
    expect([h0.length, lab.requested.length - h0.length]).toEqual([1, 5])
  })
})

describe('maxItems', () => {
  it('stops the crawl when there are so many', async () => {
    const { web, start } = sites(4, 50)
    const lab = new SpiderLab(web)
    expect(await lab.run({ start, parse: followAll, limits: { maxItems: 20 } })).toBe('items')
    // Items of requests that were in flight when the limit was reached are kept.
    expect(lab.stats.items).toBeGreaterThanOrEqual(20)
    expect(lab.stats.items).toBeLessThanOrEqual(24)
    expect((await lab.items()).length).toBe(lab.stats.items)
  })

  it('counts items before they are stored', async () => {
    const web = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`http://h.test/${i}`, linksTo(`/${i + 1}`)]),
    )
    const lab = new SpiderLab(web, { settleEveryMs: 3_600_000 })
    const limits = { maxItems: 4 }
    expect(await lab.run({ start: ['http://h.test/0'], parse: followAll, limits })).toBe('items')
    expect(lab.stats.items).toBe(4)
  })
})

describe('maxTimeSeconds', () => {
  it('stops the crawl in time', async () => {
    const { web, start } = sites(1, 5_000)
    const lab = new SpiderLab(web)
    const before = lab.clock.now()
    expect(await lab.run({ start, parse: followAll, limits: { maxTimeSeconds: 30 } })).toBe('time')
    expect(lab.clock.now() - before).toBeGreaterThanOrEqual(30_000)
    expect(lab.clock.now() - before).toBeLessThan(32_000)
  })

  it('stops it also while it waits for something far away', async () => {
    const { web, start } = sites(1, 0)
    const lab = new SpiderLab(web)
    const before = lab.clock.now()
    const parse = (page: Page) => page.follow('/later', { delaySeconds: 3_600 })
    expect(await lab.run({ start, parse, limits: { maxTimeSeconds: 60 } })).toBe('time')
    expect(lab.clock.now() - before).toBeLessThan(62_000)
    expect(lab.clock.timers).toBe(0)
  })
})

describe('depth', () => {
  it('counts links from the start', async () => {
    const lab = new SpiderLab(
      Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`http://a.test/${n}`, linksTo(`/${n + 1}`)])),
    )
    await lab.run({ start: 'http://a.test/0', parse: followAll, limits: { depth: 2 } })
    expect(lab.requested).toEqual([0, 1, 2].map((n) => `http://a.test/${n}`))
    expect(lab.stats.skipped).toEqual({ depth: 1 })
  })
})

describe('a start generator', () => {
  it('of a million URLs is read no further than needed, and stopped at the limit', async () => {
    let requested = 0
    let closed = false
    const lab = new SpiderLab({}, { threads: 4, queueDepth: 100 })
    const ended = await lab.run({
      *start() {
        try {
          for (; requested < 1_000_000; requested++) yield `http://h${requested % 100}.test/${requested}`
        } finally {
          closed = true
        }
      },
      handleStatuses: 'all',
      parse: () => {},
      limits: { maxPages: 300 },
    })
    expect(ended).toBe('pages')
    expect(lab.stats.pages).toBe(300)
    expect(requested).toBeLessThan(3_000)
    expect(closed).toBe(true)
    expect(await lab.frontier.pending(0)).toMatchObject({ startsComplete: false })
  })

  it('that is slow has its requests sent meanwhile, and is waited for', async () => {
    const lab = new SpiderLab({})
    const before = lab.clock.now()
    const times: number[] = []
    await lab.run({
      async *start() {
        for (let i = 0; i < 3; i++) {
          yield `http://a.test/${i}`
          await new Promise<void>((resolve) => lab.clock.after(60_000, resolve))
        }
      },
      handleStatuses: 'all',
      parse: () => void times.push(Math.round((lab.clock.now() - before) / 60_000)),
    })
    expect(times).toEqual([0, 1, 2])
  })

  it('that throws ends the crawl with that error, after what is under way', async () => {
    const lab = new SpiderLab({})
    const crawl = lab.run({
      async *start() {
        yield 'http://a.test/1'
        await new Promise<void>((resolve) => lab.clock.after(500, resolve))
        throw new RangeError('no more')
      },
      handleStatuses: 'all',
      parse: (page) => page.item({ url: page.url }),
    })
    await expect(crawl).rejects.toThrow('no more')
    expect(await lab.items()).toHaveLength(1)
    expect(await lab.frontier.pending(0)).toMatchObject({ leased: 0, startsComplete: false })
  })

  it('is not read again when an earlier run has added all of it', async () => {
    const { web } = sites(1, 3)
    const lab = new SpiderLab(web)
    let calls = 0
    const start = () => {
      calls++
      return 'http://h0.test/'
    }
    await lab.run({ start, parse: followAll })
    await lab.run({ start, parse: followAll })
    expect(calls).toBe(1)
    expect(lab.requested).toHaveLength(4)
  })
})

describe('an interruption', () => {
  const never = new Promise<never>(() => {})
  const HOME = 'http://h0.test/'
  const { web } = sites(1, 50)

  it.each<[string, () => Parameters<SpiderLab['run']>[0], LabWeb]>([
    ['before it begins', () => ({ start: HOME, parse: followAll }), web],
    ['during host delays', () => ({ start: HOME, parse: followAll }), web],
    ['while a server is silent', () => ({ start: HOME, parse: followAll }), { [HOME]: { status: 'hang' } }],
    [
      'while robots.txt is silent',
      () => ({ start: HOME, parse: followAll }),
      { 'http://h0.test/robots.txt': { status: 'hang' } },
    ],
    [
      'while a request hook hangs',
      () => ({ start: HOME, parse: followAll, hooks: [{ request: () => never }] }),
      web,
    ],
    [
      'while a response hook hangs',
      () => ({ start: HOME, parse: followAll, hooks: [{ response: () => never }] }),
      web,
    ],
    ['while a handler hangs', () => ({ start: HOME, parse: () => never }), web],
    [
      'while a pipeline hangs',
      () => ({ start: HOME, parse: followAll, pipelines: [{ process: () => never }] }),
      web,
    ],
    ['while a retry waits', () => ({ start: HOME, parse: followAll }), { [HOME]: { status: 500 } }],
    [
      'while a request waits for its time',
      () => ({ start: HOME, parse: (page) => page.follow('/x', { delaySeconds: 1e6 }) }),
      web,
    ],
    [
      'while the start generator hangs',
      () => ({
        async *start() {
          yield HOME
          await never
        },
        parse: followAll,
      }),
      web,
    ],
    [
      'while the start generator waits for room',
      () => ({
        *start() {
          for (let i = 0; ; i++) yield `${HOME}${i}`
        },
        parse: followAll,
      }),
      web,
    ],
    ['while onIdle hangs', () => ({ start: HOME, parse: () => {}, onIdle: () => never }), web],
  ])('%s ends the crawl soon, with nothing lost', async (when, spider, pages) => {
    const lab = new SpiderLab(pages, { graceMs: 5_000 })
    const controller = new AbortController()
    if (when === 'before it begins') controller.abort()
    const crawl = lab.start(spider(), controller.signal)
    for (let i = 0; i < 40; i++) {
      await quiet()
      if (lab.clock.now() - 1_800_000_000_000 < 2_000) lab.clock.advance(50)
    }
    controller.abort()
    const before = lab.clock.now()
    expect(await lab.clock.run(crawl)).toBe('interrupted')
    // A handler has its 30 seconds.
    expect(lab.clock.now() - before).toBeLessThanOrEqual(30_000)
    expect(await lab.frontier.pending(lab.clock.now())).toMatchObject({ leased: 0 })
    const known = (await lab.frontier.failed()).length
    const { ready, delayed } = await lab.frontier.pending(lab.clock.now())
    if (when !== 'before it begins' && when !== 'while onIdle hangs')
      expect(ready + delayed + known).toBeGreaterThan(0)
  })

  it('while a hook is slow sends no request after it', async () => {
    const lab = new SpiderLab({ [HOME]: { status: 'hang' } }, { graceMs: 1_000 })
    const controller = new AbortController()
    const slow = () => new Promise<void>((resolve) => lab.clock.after(10_000, resolve))
    lab.clock.after(5_000, () => controller.abort())
    const crawl = lab.run({ start: HOME, parse: followAll, hooks: [{ request: slow }] }, controller.signal)
    expect(await crawl).toBe('interrupted')
    expect(lab.requested).toEqual([])
    expect(await lab.frontier.pending(lab.clock.now())).toMatchObject({ ready: 1, leased: 0 })
  })

  it('leaves all that is not done to the next run, which does each once', async () => {
    const { web: many, start } = sites(4, 30)
    const lab = new SpiderLab(many)
    for (let run = 0; run < 30; run++) {
      const controller = new AbortController()
      lab.clock.after(700, () => controller.abort())
      if ((await lab.run({ start, parse: followAll }, controller.signal)) === 'finished') break
    }
    expect(lab.stats.pages).toBeLessThan(124)
    expect(lab.requested).toHaveLength(124)
    expect((await lab.items()).map(({ url }) => url).sort()).toEqual(lab.requested.sort())
  })
})
