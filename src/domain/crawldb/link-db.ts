/** Inverted links: the links of each page as of its last fetch. */
export interface LinkDb {
  /** Replaces the links of the pages in these segments. */
  invert(request: InvertRequest): Promise<InvertResult>

  /** Adds the links of another crawl directory; of a page that both have, those of its newest fetch. Returns the number of links. */
  mergeLinks(directory: string, signal?: AbortSignal): Promise<number>

  /** The links to a URL, by source. */
  inlinks(url: string): Promise<Inlink[]>
}

export interface InvertRequest {
  readonly segments: readonly string[]
  /** Leave out pages whose links were inverted before, with these options or others. @default false */
  readonly onlyNew?: boolean
  /** Ignore links within a host. @default true */
  readonly ignoreInternal?: boolean
  /** Ignore links between hosts. @default false */
  readonly ignoreExternal?: boolean
  /** Maximum length of an anchor text in characters. @default 100 */
  readonly maxAnchorLength?: number
  /** Maximum number of links to one URL; the oldest are kept. @default 10000 */
  readonly maxInlinks?: number
  /** Interrupts it: then it fails and nothing is changed. Engines may ignore it. */
  readonly signal?: AbortSignal
}

/** How many pages and links were added to the inverted link index. */
export interface InvertResult {
  /** Pages whose links were replaced. */
  readonly pages: number
  readonly links: number
}

/** A link to a page: the page it is on, and its text. */
export interface Inlink {
  readonly from: string
  readonly anchor: string
}
