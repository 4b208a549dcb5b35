import type { Clock } from '../../base/clock.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { HeaderList } from '../../domain/fetch/headers.ts'
import type { PageRenderer, PageToRender, RenderResult } from '../../domain/fetch/page-renderer.ts'
import { BrowserHung } from './browser-error.ts'
import { BrowserPool, type BrowserPoolOptions, type TabLease } from './browser-pool.ts'
import { ClosedProxy } from './closed-proxy.ts'
import { type LaunchOptions, launchBrowser } from './launch-browser.ts'
import type { LoadEnd } from './page-load.ts'
import { PlaywrightPage } from './playwright-page.ts'
import type { PageSnapshot } from './tab.ts'

export interface PlaywrightRendererOptions
  extends BrowserPoolOptions,
    Omit<LaunchOptions, 'proxyUrl' | 'loadsImages'> {
  /** Maximum size of the HTML, as UTF-8. */
  readonly maxBytes: number
}

/** Renders pages with Playwright in the user's Chromium, or in a Firefox of Playwright. The browser starts with the first page. */
export class PlaywrightRenderer implements PageRenderer {
  readonly #clock: Clock
  readonly #options: PlaywrightRendererOptions
  readonly #pool: BrowserPool
  #proxy: Promise<ClosedProxy> | undefined
  #hasNoticed = false

  constructor(clock: Clock, options: PlaywrightRendererOptions) {
    this.#clock = clock
    this.#options = options
    this.#pool = new BrowserPool(clock, () => this.#launch(), options)
  }

  async render(page: PageToRender): Promise<RenderResult> {
    const startedAt = this.#clock.now()
    // A crash may be the fault of another page, so the page gets a second browser.
    const first = await this.#attempt(page, startedAt)
    const result = first === 'crashed' ? await this.#attempt(page, startedAt) : first
    if (result !== 'crashed') return result
    const { url } = page.document
    const outcome = {
      kind: 'network-failure',
      cause: 'reset',
      detail: 'the browser crashed on this page',
    } as const
    return {
      kind: 'rendered',
      outcome: { ...outcome, url, timings: page.document.timings },
      close: async () => {},
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
    const proxy = await this.#proxy
    proxy?.close()
  }

  async #launch() {
    this.#proxy ??= ClosedProxy.open()
    const { url: proxyUrl } = await this.#proxy
    const { tab, onNotice } = this.#options
    return launchBrowser({
      ...this.#options,
      proxyUrl,
      loadsImages: tab.resources.has('image'),
      onNotice: (message) => {
        if (!this.#hasNoticed) onNotice?.(message)
        this.#hasNoticed = true
      },
    })
  }

  async #attempt(page: PageToRender, startedAt: number): Promise<RenderResult | 'crashed'> {
    const lease = await this.#pool.take(page.session)
    const { tab } = lease
    const end = await tab.load(page)
    if (end.kind === 'crashed') {
      await lease.done(false)
      return 'crashed'
    }
    if (end.kind === 'interrupted' || end.kind === 'left') {
      await lease.done(end.kind === 'left')
      return end.kind === 'left' ? moved(page, end.to) : { kind: 'interrupted' }
    }
    try {
      return this.#rendered(
        page,
        lease,
        end,
        await tab.read(end.kind === 'timeout' ? BUSY_READ_MS : undefined),
        startedAt,
      )
    } catch (error) {
      await lease.done(false)
      if (!(error instanceof BrowserHung)) return 'crashed'
      const totalMs = this.#clock.now() - startedAt
      const { url, timings } = page.document
      const detail = `the scripts of the page did not end within ${this.#options.tab.timeoutMs / 1000} s`
      const outcome = { kind: 'too-slow', detail, url, timings: { ...timings, totalMs } } as const
      return { kind: 'rendered', outcome, close: async () => {} }
    }
  }

  #rendered(
    page: PageToRender,
    lease: TabLease,
    end: LoadEnd,
    { html, isCut, url }: PageSnapshot,
    startedAt: number,
  ): RenderResult {
    const { document } = page
    const all = Buffer.from(html, 'utf8')
    const bytes = all.subarray(0, this.#options.maxBytes)
    const browserPage = new PlaywrightPage(lease.tab)
    lease.tab.handOver()
    const truncated = isCut || bytes.length < all.length ? ('size' as const) : document.body.truncated
    const outcome: FetchOutcome = {
      ...document,
      timings: { ...document.timings, totalMs: document.timings.totalMs + this.#clock.now() - startedAt },
      response: {
        ...document.response,
        headers: renderedHeaders(document.response.headers, lease.browserName),
      },
      body: {
        bytes,
        wireBytes: document.body.wireBytes,
        decoded: document.body.decoded,
        ...(truncated !== undefined && { truncated }),
      },
      rendered: {
        browser: lease.browserName,
        finalUrl: url,
        requests: lease.tab.requests,
        isIncomplete: end.kind === 'timeout',
        page: browserPage,
      },
    }
    return {
      kind: 'rendered',
      outcome,
      close: () => {
        browserPage.end()
        return lease.done(end.kind === 'quiet')
      },
    }
  }
}

/** A page whose time was over may never respond. */
const BUSY_READ_MS = 3_000

/** A script sent the browser to another address: a redirect, for the rules of the crawl. */
function moved({ document }: PageToRender, to: string): RenderResult {
  const { url, timings, response } = document
  const outcome = { kind: 'moved', url, timings, response, to, permanent: false } as const
  return { kind: 'rendered', outcome, close: async () => {} }
}

/** Tells readers of stored responses that a browser made the body. */
const RENDERED_HEADER = 'x-orbweaver-rendered'

/** The validators belong to the document before its scripts ran: the page may change while they stay the same. */
const REPLACED = new Set([
  ...['content-type', 'content-encoding', 'content-length', 'transfer-encoding', 'etag', 'last-modified'],
  RENDERED_HEADER,
])

function renderedHeaders(headers: HeaderList, browserName: string): HeaderList {
  const kept = headers.filter(([name]) => !REPLACED.has(name))
  return [...kept, ['content-type', 'text/html; charset=utf-8'], [RENDERED_HEADER, browserName]]
}
