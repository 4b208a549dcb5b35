import type { MetaRefresh } from './meta-refresh.ts'

/** What a crawler needs of a page. Strings may share memory with the input: copy those that outlive it. */
export interface HtmlScan {
  /** White space collapsed; `''` without a `<title>`. */
  readonly title: string
  /** A line for each block, a tab between table cells, white space collapsed outside `<pre>`. */
  readonly text: string
  readonly textTruncated: boolean
  /** In document order, one for each element, not resolved. */
  readonly links: readonly HtmlLink[]
  /** Links over `maxLinks`. */
  readonly linksDropped: number
  /** The first `<base href>`. It counts for every link, also for those before it. */
  readonly base: string | undefined
  /** `<html lang>`. */
  readonly lang: string | undefined
  /** `<meta http-equiv="content-language">`. */
  readonly contentLanguage: string | undefined
  /** Every `<meta name>` with a `content`, in head or body: robots rules for all or for one agent are among them. */
  readonly metas: readonly MetaTag[]
  readonly refresh: MetaRefresh | undefined
  /** The first `<link rel="canonical">`, not resolved. */
  readonly canonical: string | undefined
  /** `<link rel="alternate" hreflang>`: this page in other languages. */
  readonly alternates: readonly Alternate[]
  readonly feeds: readonly FeedLink[]
}

/** The element that a link was found in. */
export type LinkKind = 'a' | 'area' | 'form' | 'frame' | 'iframe' | 'img' | 'link' | 'script' | 'source'

/** A link as the HTML has it: neither resolved nor filtered. */
export interface HtmlLink {
  readonly kind: LinkKind
  /** References decoded, white space and control characters around it removed. */
  readonly href: string
  /** The text between `<a>` and `</a>`, or the `alt` of an image there; `alt` of an area or image. `''`: none. */
  readonly anchor: string
  /** Lower case. `nofollow` is reported here and nothing more. */
  readonly rel: readonly string[]
}

/** A `<meta>` with a name. */
export interface MetaTag {
  /** Lower case. */
  readonly name: string
  readonly content: string
}

/** `<link rel=alternate hreflang>`: the same page in another language. */
export interface Alternate {
  /** Lower case; `x-default` is one. */
  readonly hreflang: string
  readonly href: string
}

/** `<link rel=alternate>` with the type of a feed. */
export interface FeedLink {
  readonly href: string
  readonly format: 'rss' | 'atom' | 'json' | 'unknown'
  /** `''` without one. */
  readonly title: string
}

/** Limits of {@link scanHtml}, and which elements are links. */
export interface ScanOptions {
  /** Additional kinds of links to report: images, scripts, sources and forms with the method GET. */
  readonly also?: ReadonlyArray<'form' | 'img' | 'script' | 'source'>
  /** Link elements kept, repeated ones included; `linksDropped` counts the rest. @default 200_000 */
  readonly maxLinks?: number
  /** UTF-16 code units. @default 1_000_000 */
  readonly maxTextChars?: number
  /** @default 1_000 */
  readonly maxTitleChars?: number
  /** @default 500 */
  readonly maxAnchorChars?: number
  /** Alternates, feeds and metas, each. @default 500 */
  readonly maxFacts?: number
}
