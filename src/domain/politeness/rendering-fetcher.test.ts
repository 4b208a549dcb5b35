import { expect, it } from 'vitest'
import { FakeClock } from '../../../testing/fake-clock.ts'
import { runClock } from '../../../testing/run-clock.ts'
import { type Script, ScriptedFetcher } from '../../../testing/scripted-fetcher.ts'
import type { PageRenderer, PageToRender, PartResult, RenderMode } from '../fetch/page-renderer.ts'
import type { ObservedRequest } from '../fetch/request-observer.ts'
import { RobotsCache } from '../robots/robots-cache.ts'
import { hostOf } from '../url/host-of.ts'
import { PoliteFetcher } from './polite-fetcher.ts'
import { type RenderCounts, RenderingFetcher, urgentThreads } from './rendering-fetcher.ts'

const PAGE = 'http://a.test/'
const SHELL = '<div id="root"></div><script src="/app.js"></script>'

/** A browser that sends these requests for each page. */
class ScriptedRenderer implements PageRenderer {
  readonly results: PartResult[] = []
  readonly #parts: ReadonlyArray<readonly [url: string, isAsset: boolean]>

  constructor(parts: ReadonlyArray<readonly [url: string, isAsset: boolean]>) {
    this.#parts = parts
  }

  async render({ document, send }: PageToRender) {
    for (const result of await Promise.all(this.#parts.map(([url, isAsset]) => send({ url }, isAsset))))
      this.results.push(result)
    if (this.results.some(({ kind }) => kind === 'interrupted')) return { kind: 'interrupted' } as const
    return { kind: 'rendered', outcome: document, close: () => Promise.resolve() } as const
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

function lab(
  sites: Readonly<Record<string, Script | string>>,
  parts: ReadonlyArray<readonly [string, boolean]> = [],
  threads = 1,
) {
  const clock = new FakeClock()
  const web = new ScriptedFetcher(clock, sites)
  const sent: ObservedRequest[] = []
  const counts: RenderCounts = { rendered: 0, failed: 0, apps: 0 }
  const renderer = new ScriptedRenderer(parts)
  const rendering = { renderer, counts, isUsed: true, modeOf: () => 'never' as const }
  const observer = { sent: (request: ObservedRequest) => void sent.push(request), ended: () => {} }
  const polite = new PoliteFetcher(
    { clock, fetcher: web, robots: new RobotsCache(clock, 'testbot'), observer },
    { threads, keyOf: hostOf, politeness: { delayMs: 1_000 }, ...urgentThreads(rendering) },
  )
  const fetcher = new RenderingFetcher(clock, polite, rendering)
  const fetch = async (url: string, render: RenderMode) => {
    const result = await fetcher.fetch({ request: { url }, render })
    if (result.kind === 'fetched') result.release()
    return result
  }
  return {
    clock,
    web,
    sent,
    counts,
    renderer,
    polite,
    fetch,
    run: <T>(work: Promise<T>) => runClock(clock, work),
  }
}

it('renders shells, and counts those that it does not render', async () => {
  const { fetch, run, counts } = lab({ [PAGE]: SHELL, 'http://a.test/2': `<p>${'text '.repeat(200)}` })
  await run(fetch(PAGE, 'never'))
  expect(counts).toEqual({ rendered: 0, failed: 0, apps: 1 })
  await run(fetch('http://a.test/2', 'auto'))
  await run(fetch(PAGE, 'auto'))
  await run(fetch('http://a.test/2', 'always'))
  expect(counts).toEqual({ rendered: 2, failed: 0, apps: 1 })
})

it('renders no other types', async () => {
  const json = { headers: [['content-type', 'application/json']] as const, body: '{}' }
  const { fetch, run, counts } = lab({ [PAGE]: json })
  await run(fetch(PAGE, 'always'))
  expect(counts.rendered).toBe(0)
})

it('sends data with the delay of the host although all threads have pages, and assets at once', async () => {
  const sites = {
    [PAGE]: SHELL,
    'http://a.test/1': '1',
    'http://a.test/2': '2',
    'http://a.test/app.js': 'js',
  }
  const parts = [
    ['http://a.test/1', false],
    ['http://a.test/app.js', true],
    ['http://a.test/2', false],
  ] as const
  const { fetch, run, web, sent, renderer } = lab(sites, parts)
  await run(fetch(PAGE, 'auto'))
  expect(renderer.results.map(({ kind }) => kind)).toEqual(['fetched', 'fetched', 'fetched'])
  expect(sent.map(({ purpose }) => purpose)).toEqual(['robots', 'page', 'asset', 'data', 'data'])
  const [, page, asset, first, second] = web.judge.hits
  expect((first?.start ?? 0) - (page?.end ?? 0)).toBeGreaterThanOrEqual(1_000)
  expect((second?.start ?? 0) - (first?.end ?? 0)).toBeGreaterThanOrEqual(1_000)
  expect((asset?.start ?? 0) - (page?.end ?? 0)).toBeLessThan(1_000)
})

it('sends nothing that robots.txt disallows, on any host, also after a redirect', async () => {
  const sites = {
    [PAGE]: SHELL,
    'http://api.test/robots.txt': 'User-agent: *\nDisallow: /private',
    'http://a.test/hop': { status: 302, to: 'http://api.test/private' },
    'http://api.test/open': 'ok',
  }
  const parts = [
    ['http://api.test/private', false],
    ['http://a.test/hop', false],
    ['http://api.test/open', false],
  ] as const
  const { fetch, run, web, renderer } = lab(sites, parts)
  await run(fetch(PAGE, 'auto'))
  expect(renderer.results.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'fetched'])
  expect(web.judge.hits.map(({ path }) => path)).not.toContain('/private')
})

it('requests an asset once for all pages', async () => {
  const sites = { [PAGE]: SHELL, 'http://a.test/2': SHELL, 'http://a.test/app.js': 'js' }
  const { fetch, run, web } = lab(sites, [['http://a.test/app.js', true]])
  await run(fetch(PAGE, 'auto'))
  await run(fetch('http://a.test/2', 'auto'))
  expect(web.judge.hits.filter(({ path }) => path === '/app.js')).toHaveLength(1)
})

it('interrupts pages that are being rendered when it stops', async () => {
  const { fetch, run, polite, clock, counts } = lab({ [PAGE]: SHELL }, [['http://a.test/1', false]])
  clock.after(1_500, () => polite.stop())
  expect(await run(fetch(PAGE, 'auto'))).toEqual({ kind: 'interrupted' })
  expect(counts.rendered).toBe(0)
})
