import type { BrowserContext, Page, Request, Route } from 'playwright-core'
import type { Clock } from '../../base/clock.ts'
import type { PageToRender } from '../../domain/fetch/page-renderer.ts'
import { within } from './browser-error.ts'
import { type LoadEnd, PageLoad, type PageLoadLimits } from './page-load.ts'
import { fetchRequestOf, fulfil, kindOf, type OptionalResource } from './page-requests.ts'
import { pageScript } from './page-script.ts'

export interface TabOptions extends PageLoadLimits {
  /** Kinds of requests that are sent in addition to documents, scripts, stylesheets, fetch() and XMLHttpRequest. */
  readonly resources: ReadonlySet<OptionalResource>
  /** Maximum number of requests of one page. */
  readonly maxRequests: number
  /** Maximum length of its HTML. */
  readonly maxChars: number
}

/** The HTML of a page. */
export interface PageSnapshot {
  readonly html: string
  readonly isCut: boolean
  readonly url: string
}

/** One tab of the browser. It loads one page at a time; no request of it reaches the network but through `send` of the page. */
export class Tab {
  readonly page: Page
  readonly #clock: Clock
  readonly #options: TabOptions
  #job: PageToRender | undefined
  #load: PageLoad | undefined
  /** After the load, the handler of a spider uses the page: then its links may be followed in the tab. */
  #isHandled = false
  #isServed = false
  #reloads = 0
  #requests = 0
  #pending = 0
  #counts: Record<string, number> = {}
  /** When each request was made whose end is not known. */
  readonly #made = new Map<string, number>()
  /** Pages loaded so far. */
  uses = 0

  private constructor(page: Page, clock: Clock, options: TabOptions) {
    this.page = page
    this.#clock = clock
    this.#options = options
  }

  static async open(context: BrowserContext, clock: Clock, options: TabOptions): Promise<Tab> {
    const page = await context.newPage()
    const tab = new Tab(page, clock, options)
    page.setDefaultTimeout(options.timeoutMs)
    page.on('load', () => tab.#load?.loaded())
    page.on('crash', () => tab.#load?.end({ kind: 'crashed' }))
    page.on('close', () => tab.#load?.end({ kind: 'crashed' }))
    page.on('popup', (popup) => void popup.close().catch(() => {}))
    // Not intercepted: the proxy refuses the connection.
    page.on('websocket', () => tab.#count('websocket'))
    page.on('download', (download) => void download.cancel().catch(() => {}))
    page.on('dialog', (dialog) => {
      const closed = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()
      closed.catch(() => {})
    })
    if (context.browser()?.browserType().name() === 'chromium') await tab.#watchRequests(context)
    await page.addInitScript('window.open = () => null')
    await page.route('**/*', (route) => tab.#onRequest(route))
    return tab
  }

  /** Requests of the page, by what became of them. */
  get requests(): Readonly<Record<string, number>> {
    return { ...this.#counts }
  }

  /** Loads a page until it is complete, or its time is over. */
  load(job: PageToRender): Promise<LoadEnd> {
    this.uses++
    this.#job = job
    this.#isHandled = false
    this.#isServed = false
    this.#reloads = 0
    this.#requests = 0
    this.#pending = 0
    this.#made.clear()
    this.#counts = {}
    const load = new PageLoad(this.#clock, this.#options, this.#settle)
    this.#load = load
    this.page
      .goto(job.document.url, { waitUntil: 'commit', timeout: 0 })
      .catch(() => load.end({ kind: 'crashed' }))
    return load.ended
  }

  /** From now on, navigations are those that a handler wants. */
  handOver(): void {
    this.#isHandled = true
  }

  /** Resolves when the page has had no requests for a while. */
  async untilQuiet(): Promise<void> {
    const load = new PageLoad(this.#clock, this.#options, this.#settle, true)
    for (let i = 0; i < this.#pending; i++) load.requestStarted()
    this.#load = load
    await load.ended
  }

  /** @throws BrowserHung if its scripts leave no time for it within `ms` */
  async read(ms = READ_MS): Promise<PageSnapshot> {
    const { maxChars } = this.#options
    const [html, isCut, url, base] = await within(
      ms,
      'reading the page',
      this.page.evaluate<readonly [string, boolean, string, string]>(pageScript(maxChars)),
    )
    const visible = withoutNotices(html)
    return { html: withBase(visible, this.#job?.document.url ?? url, url, base), isCut, url }
  }

  /** Ends the page, so that the tab can load another one. @throws if the tab cannot be used any more */
  async reset(): Promise<void> {
    this.#job = undefined
    this.#load = undefined
    await within(RESET_MS, 'leaving the page', this.page.goto('about:blank', { waitUntil: 'commit' }))
  }

  async close(): Promise<void> {
    this.#job = undefined
    this.#load = undefined
    await within(RESET_MS, 'closing the page', this.page.close({ runBeforeUnload: false }))
  }

  /** Chromium reports a request when a script makes it, which may be long before it can be intercepted. */
  async #watchRequests(context: BrowserContext): Promise<void> {
    const session = await context.newCDPSession(this.page)
    const made = this.#made
    session.on('Network.requestWillBeSent', ({ requestId }) => made.set(requestId, this.#clock.now()))
    session.on('Network.loadingFinished', ({ requestId }) => made.delete(requestId))
    session.on('Network.loadingFailed', ({ requestId }) => made.delete(requestId))
    await session.send('Network.enable')
  }

  /** Resolves when no request of the page is on its way, and its scripts are idle. */
  readonly #settle = async (): Promise<void> => {
    do {
      while (this.#hasMadeRequests()) await new Promise((resolve) => setTimeout(resolve, 20))
      await this.page.evaluate(WHEN_IDLE)
    } while (this.#hasMadeRequests())
  }

  /** The end of some requests is not reported: after a while they do not count. */
  #hasMadeRequests(): boolean {
    const latest = this.#clock.now() - FORGOTTEN_MS
    for (const startedAt of this.#made.values()) if (startedAt > latest) return true
    return false
  }

  async #onRequest(route: Route): Promise<void> {
    const job = this.#job
    const load = this.#load
    this.#pending++
    load?.requestStarted()
    try {
      await this.#handle(route)
    } catch {
      // The page was left or closed meanwhile.
    } finally {
      this.#pending--
      // The page may have begun to wait anew meanwhile.
      if (this.#job === job) this.#load?.requestEnded()
    }
  }

  async #handle(route: Route): Promise<void> {
    const request = route.request()
    const job = this.#job
    if (job === undefined) return route.abort('aborted')
    const isMain = this.#isMainNavigation(request)
    if (isMain && !this.#isServed) {
      this.#isServed = true
      return fulfil(route, job.document)
    }
    if (isMain && !this.#isHandled && !this.#isReload(request.url(), job)) {
      this.#load?.end({ kind: 'left', to: request.url() })
      return route.abort('aborted')
    }
    const kind = kindOf(request.url(), request.resourceType(), isMain, this.#options.resources)
    if (kind === 'local') return route.continue()
    if (typeof kind === 'object') return this.#refuse(route, kind.blocked)
    if (++this.#requests > this.#options.maxRequests) return this.#refuse(route, 'too many requests')
    const result = await job.send(fetchRequestOf(request), kind === 'asset')
    if (this.#job !== job) return route.abort('aborted')
    if (result.kind === 'interrupted') {
      this.#load?.end(result)
      return route.abort('aborted')
    }
    if (result.kind === 'refused') return this.#refuse(route, result.reason)
    this.#count(
      result.isCached === true ? 'cached' : 'response' in result.outcome ? 'sent' : result.outcome.kind,
    )
    await fulfil(route, result.outcome)
  }

  #refuse(route: Route, reason: string): Promise<void> {
    this.#count(reason)
    return route.abort('blockedbyclient')
  }

  #count(reason: string): void {
    this.#counts[reason] = (this.#counts[reason] ?? 0) + 1
  }

  #isMainNavigation(request: Request): boolean {
    if (!request.isNavigationRequest()) return false
    try {
      return request.frame() === this.page.mainFrame()
    } catch {
      // Before its frame is known it can only be the page that is being opened.
      return true
    }
  }

  /** Sites set a cookie and load the same page again. */
  #isReload(url: string, { document }: PageToRender): boolean {
    return withoutFragment(url) === withoutFragment(document.url) && ++this.#reloads <= MAX_RELOADS
  }
}

const MAX_IDLE_WAIT_MS = 1_000
/** The scripts of the page have nothing to do at the moment. After a click, Chromium did not call a page idle within 28 s. */
const WHEN_IDLE = `new Promise((resolve) => {
  (window.requestIdleCallback ?? setTimeout)(() => setTimeout(resolve, 0))
  setTimeout(resolve, ${MAX_IDLE_WAIT_MS})
})`

const READ_MS = 10_000
const FORGOTTEN_MS = 10_000
const RESET_MS = 10_000
const MAX_RELOADS = 2

/** What a page shows without scripts is not part of it. */
function withoutNotices(html: string): string {
  return html.replace(/<noscript\b[^>]*>[\s\S]*?<\/noscript>/gi, '')
}

/** Relative links belong to the address that scripts have set without a request. */
function withBase(html: string, requested: string, url: string, base: string): string {
  const isElsewhere = withoutFragment(url) !== withoutFragment(requested)
  // The page has a <base> of its own.
  if (!isElsewhere || withoutFragment(base) !== withoutFragment(url)) return html
  const href = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return html.replace(/<head\b[^>]*>/i, (head) => `${head}<base href="${href}">`)
}

function withoutFragment(url: string): string {
  const at = url.indexOf('#')
  return at < 0 ? url : url.slice(0, at)
}
