import type { DbStatus } from '../crawldb/crawl-status.ts'
import type { RecordedPage } from '../segment/segment-store.ts'

/**
 * A page as it is sent to a search engine; the fields are those of Nutch's index-basic, index-anchor and index-more. Texts come from the page
 * and are untrusted: escape them wherever they are displayed.
 */
export interface IndexDocument {
  /** The URL under which the page was fetched; an index holds one document per URL. */
  readonly id: string
  /** The URL to display and open: the canonical URL if that is configured, otherwise the id. */
  readonly url: string
  readonly host: string
  /** The registered domain; absent for addresses and names without one. */
  readonly domain?: string
  readonly title?: string
  /** The summary that the page gives of itself, in a meta tag. */
  readonly description?: string
  /** Headings of the content, bold paragraphs and terms that it defines, in order; absent without any. */
  readonly headings?: readonly string[]
  readonly content: string
  /** Distinct anchor texts of its inlinks, the most frequent first, without those that name very many pages. */
  readonly anchors: readonly string[]
  /** Signature of the content (hex). */
  readonly digest?: string
  /** Index boost computed by the scoring; with OPIC the score to the power of `indexPower`, by default its square root. */
  readonly boost: number
  /** Time of the fetch, and of the last change according to the server (ms since the epoch). */
  readonly tstamp: number
  readonly lastModified?: number
  /** When the page says that it was published (ms since the epoch). */
  readonly published?: number
  /** Media type, as sniffed: `text/html`. */
  readonly type?: string
  /** Language as the page declares it, in lower case: `en`, `pt-br`. */
  readonly lang?: string
  readonly segment: string
  /** Near-duplicates share it: a search shows one of them, and the others under it. Absent: there are none. */
  readonly cluster?: string
  /** Chosen metadata of the page, and what an index filter adds. */
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
}

/** A link to or from a page. */
export interface IndexedLink {
  /** The other page. */
  readonly url: string
  /** `''` without a text. */
  readonly anchor: string
}

/** The links of a page that `index.links` requests. */
export interface PageLinks {
  /** Links to the page, as `invertlinks` has stored them. */
  readonly inlinks?: readonly IndexedLink[]
  /** Links of the page that the rules accepted. */
  readonly outlinks?: readonly IndexedLink[]
}

/**
 * A user-defined rule for documents: returns the document to index, or `undefined` to keep the page out of every index. The `id` must not
 * change. If it throws, the page stays in the index as it is and is retried in the next run.
 * @param page the rows of its segment, without its body
 * @param links those that the setting `index.links` names
 */
export type IndexFilter = (
  document: IndexDocument,
  page: RecordedPage,
  links: PageLinks,
) => IndexDocument | undefined | Promise<IndexDocument | undefined>

/**
 * Statuses of pages that are removed from a search index. Nutch's `clean` deletes the first two; its indexer deletes the others
 * (`-deleteGone`).
 */
export const NOT_FOR_AN_INDEX = [
  'db_gone',
  'db_duplicate',
  'db_redir_temp',
  'db_redir_perm',
  'db_orphan',
  'db_parse_failed',
] as const satisfies readonly DbStatus[]
