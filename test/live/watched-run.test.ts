import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LiveCrawl } from '../../src/domain/live/live-crawl.ts'
import type { LiveActionResult, LiveReport } from '../../src/domain/live/live-report.ts'
import { spider } from '../../src/wiring/define-spider.ts'
import { openCrawl } from '../../src/wiring/open-crawl.ts'
import { runSpider } from '../../src/wiring/run-spider.ts'
import type { RunWatcher } from '../../src/wiring/run-watcher.ts'
import type { WebPlan } from '../../testing/synthetic-web/plan-sites.ts'
import { type SyntheticWeb, startSyntheticWeb } from '../../testing/synthetic-web.ts'
import { webSpider } from '../spider/web-spider.ts'

const DELAY_MS = 15
/** Five trees without links between them: there is one path to each page. */
const TREES: WebPlan = { hosts: 5, pages: 200, hostile: false, crossLinks: 0 }

let web: SyntheticWeb
let folder: string
beforeEach(async () => {
  web = await startSyntheticWeb(TREES)
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-live-'))
})
afterEach(async () => {
  await web.close()
  rmSync(folder, { recursive: true })
})

/** Calls `act` once, when this number of pages was requested, and watches the requests and the progress. */
class Watch implements RunWatcher {
  live: LiveCrawl | undefined
  result: LiveActionResult | undefined
  sent: string[] = []
  inFlight = 0
  hasEnded = false
  readonly observer = {
    sent: ({ url }: { readonly url: string }) => {
      this.sent.push(url)
      this.inFlight++
      if (this.sent.length === this.#at) this.#act()
    },
    ended: () => {
      this.inFlight--
    },
  }
  readonly #at: number
  readonly #act: () => void

  constructor(at: number, act: (watch: Watch) => void) {
    this.#at = at
    this.#act = () => act(this)
  }

  started(live: LiveCrawl): void {
    expect(this.sent).toEqual([])
    this.live = live
  }

  ended(): void {
    this.hasEnded = true
  }

  act(action: Parameters<LiveCrawl['act']>[0]): void {
    void this.live?.act(action).then((result) => {
      this.result = result
    })
  }

  async report(): Promise<LiveReport> {
    return (this.live as LiveCrawl).report()
  }
}

interface Ended {
  readonly ended: string
  readonly pages: number
}

async function runCycle(watch: Watch, onProgress: () => void = () => {}): Promise<Ended> {
  await using crawl = await openCrawl(join(folder, 'crawl'), {
    agent: { email: 'test@example.org' },
    politeness: { delaySeconds: DELAY_MS / 1_000 },
  })
  await crawl.inject(web.seeds)
  return crawl.run({ watchers: [watch], onProgress })
}

async function runWebSpider(watch: Watch, onProgress: () => void = () => {}): Promise<Ended> {
  const { ended, stats } = await runSpider(webSpider(web.seeds), {
    dir: join(folder, 'spider'),
    ...{ watchers: [watch], onProgress, collect: false },
  })
  return { ended, pages: stats.pages }
}

describe.each([
  ['cycle', runCycle, 'nothing due'],
  ['spider', runWebSpider, 'finished'],
] as const)('a watched %s', (kind, run, done) => {
  it('reports what the servers saw', async () => {
    const watch = new Watch(0, () => {})
    const { ended, pages } = await run(watch)
    expect({ ended, hasEnded: watch.hasEnded }).toEqual({ ended: done, hasEnded: true })
    const report = await watch.report()
    expect(report).toMatchObject({ kind, state: 'finished', inFlight: 0, queued: 0 })
    expect(report.totals).toMatchObject({
      pages,
      requests: web.requested.length,
      robotsRequests: 5,
      errors: 0,
    })
    expect(pages).toBe(web.expected().size)
    expect(report.outcomes).toEqual({ success: pages })
    expect(report.responseTimes.counts.reduce((sum, n) => sum + n, 0)).toBe(web.requested.length)
    const { points } = await (watch.live as LiveCrawl).series()
    expect(points.reduce((sum, point) => sum + point.pages, 0)).toBe(pages)
    const hosts = await (watch.live as LiveCrawl).hosts({
      sort: 'requests',
      descending: true,
      offset: 0,
      limit: 2,
    })
    expect(hosts.total).toBe(5)
    const byHost = Map.groupBy(web.judge.hits, ({ host }) => host)
    const [most] = [...byHost].sort(([, a], [, b]) => b.length - a.length)
    expect(hosts.hosts[0]).toMatchObject({
      host: most?.[0],
      ...{ requests: most?.[1].length, errors: 0, delayMs: DELAY_MS, delaySetBy: 'config' },
    })
    expect(hosts.hosts[0]?.robots.state).toMatch(/found|missing/)
    if (kind === 'spider') expect(report.items?.latest).toHaveLength(20)
    else expect(report.rounds[0]).toMatchObject({ endedAt: expect.any(Number) })
  })

  it('sends nothing while it is paused, and then everything once', async () => {
    let seconds = 0
    let sentAtPause = 0
    const watch = new Watch(40, (one) => {
      sentAtPause = one.sent.length
      one.act({ action: 'pause' })
    })
    const states: string[] = []
    const ended = await run(watch, () => {
      if (watch.result === undefined) return
      void watch.report().then(({ state }) => states.push(state))
      if (++seconds === 3) {
        expect(watch.sent).toHaveLength(sentAtPause)
        expect(watch.inFlight).toBe(0)
        watch.act({ action: 'resume' })
      }
    })
    expect(states.slice(0, 2)).toEqual(['paused', 'paused'])
    expect(ended).toEqual(expect.objectContaining({ ended: done, pages: web.expected().size }))
    expect(requestedPages().toSorted()).toEqual([...web.expected().keys()].toSorted())
    expect(web.judge.violations({ minGapMs: DELAY_MS, maxRepeats: 1 })).toEqual([])
  })

  it('stops as it does after an interruption, also while it is paused, and resumes without a loss', async () => {
    let isStopped = false
    const first = new Watch(40, (one) => one.act({ action: 'pause' }))
    const result = await run(first, () => {
      if (first.result !== undefined && !isStopped) first.act({ action: 'stop' })
      isStopped = first.result !== undefined
    })
    expect(result.ended).toBe('interrupted')
    expect(first.sent).toHaveLength(40)
    expect((await run(new Watch(0, () => {}))).ended).toBe(done)
    expect(requestedPages().toSorted()).toEqual([...web.expected().keys()].toSorted())
    expect(web.judge.violations({ minGapMs: DELAY_MS, maxRepeats: 2 })).toEqual([])
  })

  it('keeps the delay that an operator sets for a host, until it is restored', async () => {
    const [host = ''] = web.sites.values().map(({ plan }) => plan.host)
    const slowMs = 120
    let changedAt = 0
    let restoredAt = Number.POSITIVE_INFINITY
    const watch = new Watch(30, (one) => {
      one.act({ action: 'set-delay', host, delayMs: slowMs })
      changedAt = web.judge.hits.length
    })
    const isOfHost = (hit: { readonly host: string }) => hit.host === host
    const running = run(watch)
    web.hold = () => {
      const slow = web.judge.hits.slice(changedAt).filter(isOfHost).length
      if (changedAt > 0 && slow === 8 && restoredAt === Number.POSITIVE_INFINITY) {
        restoredAt = web.judge.hits.length
        watch.act({ action: 'set-delay', host, delayMs: null })
      }
      return undefined
    }
    expect((await running).ended).toBe(done)
    expect(watch.result).toMatchObject({ ok: true })
    const slow = web.judge.hits.slice(0, restoredAt).filter(isOfHost)
    const gaps = slow.slice(1).map(({ start }, i) => start - (slow[i]?.end ?? 0))
    // The request in flight when the delay was set had the old one before it.
    expect(Math.min(...gaps.slice(-6))).toBeGreaterThanOrEqual(slowMs)
    expect(web.judge.violations({ minGapMs: DELAY_MS, maxRepeats: 1 })).toEqual([])
  })
})

function requestedPages(): string[] {
  return web.requested.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'))
}

describe('retry-failed', () => {
  const isFailing = (url: string) => url.endsWith('/3')

  /** Two hosts, whose page 3 fails the first time. The delay leaves time for the action. */
  async function failingWeb(): Promise<{
    readonly seeds: string[]
    close(): Promise<void>
    readonly hits: string[]
  }> {
    const hits: string[] = []
    const server = createServer(({ url = '' }, response) => {
      hits.push(url)
      if (url === '/robots.txt') response.writeHead(404).end()
      else if (isFailing(url) && hits.filter((one) => one === url).length === 1) response.writeHead(500).end()
      else {
        const links = [1, 2, 3, 4, 5, 6].map((n) => `<a href="/${n}">${n}</a>`)
        response.writeHead(200, { 'content-type': 'text/html' }).end(links.join(''))
      }
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    return {
      seeds: [`http://127.0.0.1:${port}/`],
      hits,
      close: async () => void server.close().closeAllConnections(),
    }
  }

  it('fetches a failed URL of the cycle again in the next round, after the back-off of its host', async () => {
    const site = await failingWeb()
    await using crawl = await openCrawl(join(folder, 'crawl'), {
      agent: { email: 'test@example.org' },
      politeness: { delaySeconds: 0.005, backoffSeconds: 0.3 },
    })
    await crawl.inject(site.seeds)
    const watch = new Watch(0, () => {})
    const results: LiveActionResult[] = []
    // When the results of the list with the failure are merged, its URL waits for a day.
    const onRound = ({ kind }: { readonly kind: string }) => {
      if (kind === 'fetched')
        void watch.live?.act({ action: 'retry-failed' }).then((one) => results.push(one))
    }
    const { ended, pages } = await crawl.run({ watchers: [watch], onRound })
    await site.close()
    expect({ ended, pages }).toEqual({ ended: 'nothing due', pages: 7 })
    expect(site.hits.filter((url) => url === '/3')).toHaveLength(2)
    expect(results[0]).toMatchObject({ ok: true, message: expect.stringContaining('open fetch lists') })
    expect((await watch.report()).failures).toMatchObject([{ code: 'server-error', reason: 'HTTP 500' }])
  })

  it('queues the dead letters of a spider again, one or all', async () => {
    const site = await failingWeb()
    const results: LiveActionResult[] = []
    const watch = new Watch(0, () => {})
    const quotes = spider({
      ...{ name: 'again', start: site.seeds, retry: { retries: { serverError: 0 } } },
      settings: {
        agent: { email: 'me@example.org' },
        politeness: { delaySeconds: 0.005, backoffSeconds: 0.1 },
      },
      rules: [{ handler: 'page', follow: true }],
      parse: () => [],
      handlers: { page: () => [] },
      async onIdle() {
        const [failure] = (await watch.report()).failures
        if (results.length > 0 || failure === undefined) return []
        for (const url of [`${failure.url}x`, failure.url, undefined])
          results.push(
            await (watch.live as LiveCrawl).act({
              action: 'retry-failed',
              ...(url !== undefined && { url }),
            }),
          )
        return []
      },
    })
    const { stats } = await runSpider(quotes, { dir: join(folder, 'spider'), watchers: [watch] })
    await site.close()
    expect(results.map(({ ok, data }) => [ok, data])).toEqual([
      [false, { retried: 0 }],
      [true, { retried: 1 }],
      [false, { retried: 0 }],
    ])
    expect(site.hits.filter((url) => url === '/3')).toHaveLength(2)
    expect(stats).toMatchObject({ pages: 7, failed: { 'http-500': 1 } })
  })
})
