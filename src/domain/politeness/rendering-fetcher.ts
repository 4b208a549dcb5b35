import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { looksLikeApp } from '../content/app-shell.ts'
import { AssetCache } from '../fetch/asset-cache.ts'
import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import { header } from '../fetch/headers.ts'
import type { PageRenderer, PartResult, RenderMode } from '../fetch/page-renderer.ts'
import { isWebUrl } from '../fetch/protocol.ts'
import type { PoliteFetcher } from './polite-fetcher.ts'
import type { PoliteResult, PoliteTask } from './polite-result.ts'

/** What was rendered in a run, for its report. */
export interface RenderCounts {
  rendered: number
  /** Pages that a browser could not render. */
  failed: number
  /** Pages that look like JavaScript apps and were not rendered. */
  apps: number
}

/** Rendering, as a run uses it. */
export interface PageRendering {
  readonly renderer: PageRenderer
  readonly counts: RenderCounts
  /** @param handler of a spider that gets the page */
  readonly modeOf: (url: string, handler?: string) => RenderMode
  /** Whether any page may be rendered. */
  readonly isUsed: boolean
}

/** A page to fetch, and how. */
export interface PageTask extends PoliteTask {
  /** @default 'never' */
  readonly render?: RenderMode
  /** The session of the document, which the requests of its scripts use, too. @default none; the browser keeps one for all pages */
  readonly session?: FetchRequest['session']
}

/**
 * Fetches pages, and renders those that need it. The document is always fetched over HTTP first, through the queue of its host; the browser
 * gets that response, and its other requests go through the same queues.
 */
export class RenderingFetcher {
  readonly #fetcher: PoliteFetcher
  readonly #rendering: PageRendering | undefined
  readonly #assets: AssetCache

  constructor(clock: Clock, fetcher: PoliteFetcher, rendering: PageRendering | undefined) {
    this.#fetcher = fetcher
    this.#rendering = rendering
    this.#assets = new AssetCache(clock)
  }

  fetch(task: PageTask): Promise<PoliteResult> {
    // Thousands of tasks wait here, and the state of an async function takes more memory than a callback.
    return this.#fetcher.fetch(task).then((result) => this.#rendered(task, result))
  }

  #rendered(task: PageTask, result: PoliteResult): PoliteResult | Promise<PoliteResult> {
    const rendering = this.#rendering
    if (rendering === undefined || result.kind !== 'fetched' || !isHtml(result.outcome)) return result
    const { render = 'never', session } = task
    if (render !== 'always' && !looksLikeApp(result.outcome.body.bytes)) return result
    if (render === 'never') {
      rendering.counts.apps++
      return result
    }
    return this.#render(rendering, session, result, result.outcome)
  }

  async #render(
    { renderer, counts }: PageRendering,
    session: FetchRequest['session'],
    { aiUse, release }: Extract<PoliteResult, { kind: 'fetched' }>,
    document: Extract<FetchOutcome, { kind: 'success' }>,
  ): Promise<PoliteResult> {
    try {
      const key = session?.id ?? ''
      const send = (request: FetchRequest, isAsset: boolean) =>
        this.#send({ ...request, ...withoutUndefined({ session }) }, isAsset, key)
      const result = await renderer.render({ document, session: key, send })
      if (result.kind === 'interrupted') {
        release()
        return this.#fetcher.whyEnding ?? { kind: 'interrupted' }
      }
      const { outcome, close } = result
      if (outcome.kind === 'success' || outcome.kind === 'moved') counts.rendered++
      else counts.failed++
      return {
        kind: 'fetched',
        outcome,
        aiUse,
        release: () => {
          release()
          void close()
        },
      }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Sends a request of a page and follows its redirects; assets come from the cache while they are fresh. */
  async #send(request: FetchRequest, isAsset: boolean, session: string): Promise<PartResult> {
    if (!isAsset || (request.method ?? 'GET') !== 'GET') return this.#follow(request, isAsset)
    let result: PartResult | undefined
    const { outcome, isCached } = await this.#assets.get(`${session} ${request.url}`, async () => {
      result = await this.#follow(request, true)
      return result.kind === 'fetched' ? result.outcome : undefined
    })
    if (result !== undefined) return result
    // The request that this one waited for was not sent.
    return outcome === undefined ? this.#follow(request, true) : { kind: 'fetched', outcome, isCached }
  }

  async #follow(first: FetchRequest, isAsset: boolean): Promise<PartResult> {
    let request = first
    for (let hop = 0; ; hop++) {
      const result = await this.#fetcher.fetchPart(request, isAsset)
      if (result.kind !== 'fetched' || result.outcome.kind !== 'moved') return result
      if (hop === MAX_REDIRECTS) return { kind: 'refused', reason: 'too many redirects' }
      request = redirected(request, result.outcome)
    }
  }
}

const MAX_REDIRECTS = 5
/** Headers that must not reach another host. */
const PRIVATE_HEADERS = new Set(['cookie', 'authorization'])

/** The request for the target of a redirect, as the Fetch standard has it. */
function redirected(request: FetchRequest, { to, response }: Extract<FetchOutcome, { kind: 'moved' }>) {
  const { method = 'GET', headers = {}, body, ...rest } = request
  const isSameOrigin = URL.parse(to)?.origin === URL.parse(request.url)?.origin
  const kept = isSameOrigin
    ? headers
    : Object.fromEntries(Object.entries(headers).filter(([name]) => !PRIVATE_HEADERS.has(name)))
  const { status } = response
  const becomesGet = status === 303 || ((status === 301 || status === 302) && method === 'POST')
  if (becomesGet) return { ...rest, url: to, headers: kept }
  return { ...rest, url: to, method, headers: kept, ...(body !== undefined && { body }) }
}

function isHtml(outcome: FetchOutcome): outcome is Extract<FetchOutcome, { kind: 'success' }> {
  if (outcome.kind !== 'success' || !isWebUrl(outcome.url)) return false
  const type = header(outcome.response.headers, 'content-type')
  return type === undefined || /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type)
}

/** Threads for the requests of pages: their pages hold the other ones. */
export function urgentThreads(rendering: PageRendering | undefined): { readonly urgentThreads?: number } {
  return rendering?.isUsed ? { urgentThreads: URGENT_THREADS } : {}
}

const URGENT_THREADS = 64
