/** A link as a page has it, and what it means. */
export interface Link {
  /** As it stands in the page. */
  readonly href: string
  /** The URL that a crawler with the default rules takes it for. Absent: it leaves this link alone. */
  readonly url?: string
  readonly rel?: 'nofollow'
}

/** What a site has at a path. */
export type Resource =
  | {
      readonly kind: 'page'
      readonly text: string
      readonly links: readonly Link[]
      readonly directive?: Directive
      /** By meta refresh. */
      readonly refresh?: Link
      /** How the server tells whether it has changed. `none`: not at all. */
      readonly validator: 'etag' | 'date' | 'none'
      /** Whether its text is another in each edition of the web. */
      readonly changes: boolean
    }
  | { readonly kind: 'sitemap'; readonly links: readonly Link[] }
  | {
      readonly kind: 'redirect'
      readonly status: 301 | 302 | 307 | 308
      readonly to: Link
      /** Whether who follows it comes back to where the redirects began. */
      readonly circle?: boolean
    }
  | { readonly kind: 'error'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The connection ends in the middle of the head. */
  | { readonly kind: 'hang-up' }

export interface Directive {
  readonly from: 'meta' | 'header'
  readonly value: 'noindex' | 'nofollow'
}

/** A link that is followed, written as it is meant. */
export function link(url: string): Link {
  return { href: url, url }
}
