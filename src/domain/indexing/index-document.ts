import type { DbStatus } from '../crawldb/crawl-status.ts'
import type { RecordedPage } from '../segment/segment-store.ts'

/**
 * A page as a search engine gets it; the fields are those of Nutch's index-basic, index-anchor and index-more. Texts are as the page has
 * them: nothing in them may be trusted, nor taken for markup.
 */
export interface IndexDocument {
  /** The URL under which the page was fetched; an index holds one document for each. */
  readonly id: string
  /** What to show and to open: the page's canonical URL where that is wanted, else the id. */
  readonly url: string
  readonly host: string
  /** The registered domain; absent for addresses and names without one. */
  readonly domain?: string
  readonly title?: string
  readonly content: string
  /** What links call the page, each text once, the most frequent first. Those of its own host are left out unless `invertlinks` took them. */
  readonly anchors: readonly string[]
  /** Signature of the content (hex). */
  readonly digest?: string
  /** What the scoring makes of the page's score: with OPIC, its `indexPower`, the square root by default. */
  readonly boost: number
  /** When it was fetched, and when it was last changed as its server says (ms since the epoch). */
  readonly tstamp: number
  readonly lastModified?: number
  /** Media type, as sniffed: `text/html`. */
  readonly type?: string
  /** Language as the page declares it, in lower case: `en`, `pt-br`. */
  readonly lang?: string
  readonly segment: string
  /** Chosen metadata of the page, and what an index filter adds. */
  readonly metadata: Readonly<Record<string, string | readonly string[]>>
}

/**
 * A rule of the operator's own over documents: returns the document as it is to be indexed, or `undefined` to keep the page out of every
 * index. Its `id` stays what it was. A throw leaves the page as it is in the index, to be tried the next time.
 * @param page all that its segment holds, but for its body and its links
 */
export type IndexFilter = (
  document: IndexDocument,
  page: RecordedPage,
) => IndexDocument | undefined | Promise<IndexDocument | undefined>

/**
 * What a search index must not hold: under these URLs a reader finds nothing, something else, or what another page has too. Nutch's clean
 * takes the first two; the others go when its indexer meets them (`-deleteGone`), or have been gone before.
 */
export const NOT_FOR_AN_INDEX = [
  'db_gone',
  'db_duplicate',
  'db_redir_temp',
  'db_redir_perm',
  'db_orphan',
  'db_parse_failed',
] as const satisfies readonly DbStatus[]
