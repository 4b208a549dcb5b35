/** A site for an example: small, and known completely. */
export interface ExampleSite {
  /** What robots.txt forbids; each is linked where a spider that does not care would follow. */
  readonly disallowed: readonly string[]
  /** Sitemaps that robots.txt names, as paths. @default none */
  readonly sitemaps?: readonly string[]
  /** `undefined`: there is no such page. */
  response(request: SiteRequest): SiteReply | undefined
}

export interface SiteRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly cookies: ReadonlyMap<string, string>
  readonly body: string
  /** `http://127.0.0.1:40123`, for those who must name themselves. */
  readonly origin: string
}

export interface SiteReply {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** An HTML page. Texts in `body` must be escaped already. */
export function htmlPage(title: string, body: string): SiteReply {
  return {
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html lang="en"><title>${title}</title><body>${body}</body></html>`,
  }
}

export function jsonDocument(value: unknown): SiteReply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

export function redirect(to: string, headers: SiteReply['headers'] = {}): SiteReply {
  return { status: 302, headers: { ...headers, location: to }, body: '' }
}

/** Part `page` of a list, counted from 1, and whether more follow. */
export function portion<T>(all: readonly T[], page: number, size: number): { items: T[]; more: boolean } {
  return { items: all.slice((page - 1) * size, page * size), more: page * size < all.length }
}
