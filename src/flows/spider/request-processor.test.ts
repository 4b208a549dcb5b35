import { describe, expect, it } from 'vitest'
import { LeapClock, quiet } from '../../../testing/leap-clock.ts'
import { followAll, type LabOptions, type LabWeb, linksTo, SpiderLab } from '../../../testing/spider-lab.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { Settlement } from '../../domain/frontier/settlement.ts'
import { drop } from './hooks.ts'
import { RequestProcessor, type RequestProcessorParts } from './request-processor.ts'
import type { AnySpider } from './spider-definition.ts'
import { StatsCounter } from './spider-stats.ts'

const HOME = 'http://a.test/'

/** A lab and the settlements that its frontier gets. */
function watched(web: LabWeb, options: LabOptions = {}) {
  const settlements: Settlement[] = []
  const lab = new SpiderLab(web, {
    ...options,
    wrapFrontier: (frontier) => ({
      add: (requests, starts) => frontier.add(requests, starts),
      lease: (options) => frontier.lease(options),
      pending: (now) => frontier.pending(now),
      close: () => frontier.close(),
      settle(batch) {
        settlements.push(...batch)
        return frontier.settle(batch)
      },
    }),
  })
  return { lab, settlements }
}

async function settled(web: LabWeb, spider: Partial<AnySpider> = {}, options?: LabOptions) {
  const { lab, settlements } = watched(web, options)
  await lab.run({ start: HOME, parse: followAll, ...spider })
  return settlements
}

describe('the slot of a request', () => {
  const body = { bytes: Buffer.from('x'), wireBytes: 1 }
  const timings = { startedAt: 0, totalMs: 0 }
  const response = { status: 200, headers: [] }
  const page = { kind: 'success', url: HOME, timings, response, body } as unknown as FetchOutcome

  /** Processes a request whose handler never returns. */
  async function releases(freesSlotsEarly: boolean, outcome = page): Promise<number> {
    let released = 0
    const processor = new RequestProcessor({
      clock: new LeapClock(),
      fetcher: {
        fetch: async () => ({ kind: 'fetched', outcome, aiUse: [], release: () => released++ }),
      },
      outcomes: { conclude: () => new Promise(() => {}) },
      stats: new StatsCounter(),
      handlerFault: () => undefined,
      freesSlotsEarly,
    } as unknown as RequestProcessorParts)
    const request = { url: HOME, handler: 'parse', depth: 0 }
    void processor.process({ id: 'a', request, attempt: 1, rank: 0 })
    await quiet()
    return released
  }

  it('is held until the handler returns', async () => {
    expect(await releases(false)).toBe(0)
  })

  it('is free when the response is there, if handlers run in other threads', async () => {
    expect(await releases(true)).toBe(1)
  })

  it('is held while the page has a tab of the browser', async () => {
    expect(await releases(true, { ...page, rendered: {} } as unknown as FetchOutcome)).toBe(0)
  })
})

describe('the settlement of a request', () => {
  it('has the fetch row, the links and the items of a page', async () => {
    const [home] = await settled({ [HOME]: linksTo('/1') })
    expect(home).toMatchObject({
      end: { kind: 'done' },
      fetch: { url: HOME, status: 'fetch_success', httpStatus: 200 },
      requests: [{ url: 'http://a.test/1', from: HOME, depth: 1 }],
      items: [{ url: HOME }],
      rejected: [],
    })
  })

  it('has the target of a redirect as a request, and a fetch row for the redirect', async () => {
    const [from, to] = await settled({ [HOME]: { status: 301, to: '/new' }, 'http://a.test/new': 'x' })
    expect(from).toMatchObject({
      end: { kind: 'done' },
      fetch: { status: 'fetch_redir_perm', redirectTo: 'http://a.test/new' },
      requests: [{ url: 'http://a.test/new', redirectedFrom: [HOME] }],
      items: [],
    })
    expect(to?.fetch).toMatchObject({ url: 'http://a.test/new', redirectedFrom: HOME })
  })

  it('has a fetch row for a page that robots.txt disallows', async () => {
    const [denied] = await settled({ 'http://a.test/robots.txt': 'User-agent: *\nDisallow: /' })
    expect(denied).toMatchObject({ end: { kind: 'done' }, fetch: { protocolStatus: 'ROBOTS_DENIED' } })
  })

  it('has no fetch row while retries are left, and one after the last', async () => {
    const all = await settled({ [HOME]: { status: 500 } }, { retry: { retries: { serverError: 1 } } })
    expect(all.map(({ end, fetch }) => [end.kind, fetch?.httpStatus])).toEqual([
      ['retry', undefined],
      ['failed', 500],
    ])
  })

  it('has no fetch row for a request that a hook dropped: it was not sent', async () => {
    const [dropped] = await settled({}, { hooks: [{ request: () => drop('no') }] })
    expect(dropped).toMatchObject({ end: { kind: 'done' } })
    expect(dropped?.fetch).toBeUndefined()
  })

  it('keeps the fetch row of a page whose handler failed', async () => {
    const [failed] = await settled({ [HOME]: 'x' }, { parse: () => Promise.reject(new Error('no')) })
    expect(failed).toMatchObject({
      end: { kind: 'failed', code: 'handler-threw' },
      fetch: { status: 'fetch_success' },
    })
  })

  it('requeues requests that were not sent, without counting an attempt, when the crawl stops', async () => {
    const pages = Array.from({ length: 9 }, (_, n) => `http://a.test/${n}`)
    const { lab, settlements } = watched({})
    const controller = new AbortController()
    const crawl = lab.start(
      { start: pages, handleStatuses: 'all', parse: () => controller.abort() },
      controller.signal,
    )
    await lab.clock.run(crawl)
    expect(settlements.map(({ end }) => end.kind).sort()).toEqual(['done', ...Array(8).fill('requeue')])
    expect(await lab.frontier.lease({ requests: 9, perHost: 9, now: lab.clock.now() })).toMatchObject([
      { requests: Array(8).fill({ attempt: 1 }) },
    ])
  })

  it('requeues requests that were interrupted when the crawl stops', async () => {
    const { lab, settlements } = watched({ [HOME]: { status: 'hang' } }, { graceMs: 1_000 })
    const controller = new AbortController()
    const crawl = lab.start({ start: HOME, parse: followAll }, controller.signal)
    for (let i = 0; i < 10; i++) {
      await quiet()
      lab.clock.advance(50)
    }
    controller.abort()
    await lab.clock.run(crawl)
    expect(lab.requested).toEqual([HOME])
    expect(settlements).toMatchObject([{ end: { kind: 'requeue' } }])
    expect(lab.stats).toMatchObject({ requests: 0, failed: {} })
  })

  it('fetches robots.txt once for all pages that wait for it', async () => {
    const { lab } = watched({})
    const pages = Array.from({ length: 20 }, (_, n) => `http://a.test/${n}`)
    await lab.run({ start: pages, handleStatuses: 'all', parse: () => {} })
    expect(lab.web.requests.filter(({ url }) => url.endsWith('/robots.txt'))).toHaveLength(1)
  })

  it('fails a request that cannot be sent, and the next one of its host is sent', async () => {
    const { lab, settlements } = watched({ [HOME]: 'x', 'http://a.test/2': 'x' })
    const fetch = lab.web.fetch.bind(lab.web)
    lab.web.fetch = (request) =>
      request.url === HOME
        ? Promise.reject(new Error('header host: belongs to the connection'))
        : fetch(request)
    await lab.run({ start: [HOME, 'http://a.test/2'], parse: followAll })
    expect(settlements.map(({ end }) => end)).toEqual([
      { kind: 'failed', code: 'not-sendable', reason: expect.stringContaining('belongs to the connection') },
      { kind: 'done' },
    ])
    expect(lab.stats).toMatchObject({ pages: 1, failed: { 'not-sendable': 1 } })
  })

  it('fails a request without a handler, and it is not fetched', async () => {
    const { lab, settlements } = watched({ [HOME]: 'x' })
    await lab.run({ start: HOME, parse: followAll })
    for (const handler of ['gone', 'constructor', '__proto__', 'toString'])
      await lab.frontier.add([{ url: `http://a.test/${handler}`, handler, depth: 1 }])
    await lab.run({ start: HOME, parse: followAll, handlers: { book: followAll } })
    expect(settlements.slice(1).map(({ end }) => end)).toEqual(
      Array(4).fill({
        kind: 'failed',
        code: 'no-handler',
        reason: expect.stringMatching(/it has parse, book/),
      }),
    )
    expect(lab.requested).toEqual([HOME])
  })
})
