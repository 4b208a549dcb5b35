import type { FetchOutcome } from './fetch-outcome.ts'
import type { FetchRequest } from './fetcher.ts'

/** Whether pages are rendered in a browser: never, only pages that need scripts to show their text, or always. */
export type RenderMode = 'never' | 'auto' | 'always'

export const RENDER_MODES = ['never', 'auto', 'always'] as const

/** Renders pages that were fetched. It sends no requests by itself. */
export interface PageRenderer {
  /**
   * Loads the page in a browser and waits until its scripts have no more requests. Failures of the page are results.
   * @throws CrawlError if there is no browser
   */
  render(page: PageToRender): Promise<RenderResult>
  /** Ends the browser. */
  close(): Promise<void>
}

export interface PageToRender {
  /** The fetched document: the browser gets this response and does not request it again. */
  readonly document: Extract<FetchOutcome, { readonly kind: 'success' }>
  /** Pages with the same key share cookies and storage. */
  readonly session: string
  /** Sends a request of the page under the rules of the crawl. Redirects are followed. */
  readonly send: (request: FetchRequest, isAsset: boolean) => Promise<PartResult>
}

/** The result of a request of a page. */
export type PartResult =
  | { readonly kind: 'fetched'; readonly outcome: FetchOutcome; readonly isCached?: boolean }
  /** Not sent: robots.txt disallows it, for example. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The crawl is stopping. */
  | { readonly kind: 'interrupted' }

export type RenderResult =
  /** The outcome of the page: a success with the HTML after its scripts ran, a redirect by a script, or a failure. `close` frees the tab. */
  | { readonly kind: 'rendered'; readonly outcome: FetchOutcome; readonly close: () => Promise<void> }
  /** The crawl is stopping. */
  | { readonly kind: 'interrupted' }
