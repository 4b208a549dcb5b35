/** Who links where: the links of the pages as they were last fetched. */
export interface LinkDb {
  /** Takes over the links of the pages of these segments. A page's earlier links are forgotten. */
  invert(request: InvertRequest): Promise<InvertResult>

  /** The links to a URL, by source. */
  inlinks(url: string): Promise<Inlink[]>
}

export interface InvertRequest {
  readonly segments: readonly string[]
  /** Links from a host to itself are left out. @default true */
  readonly ignoreInternal?: boolean
  /** Links from a host to another are left out. @default false */
  readonly ignoreExternal?: boolean
  /** Characters of an anchor that are kept. @default 100 */
  readonly maxAnchorLength?: number
  /** Links to one URL that are kept; the oldest stay. @default 10000 */
  readonly maxInlinks?: number
}

export interface InvertResult {
  /** Pages whose links were taken over. */
  readonly pages: number
  readonly links: number
}

export interface Inlink {
  readonly from: string
  readonly anchor: string
}
