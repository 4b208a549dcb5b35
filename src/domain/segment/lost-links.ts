/** Where a URL may have been lost that passes the filters and is not in the CrawlDb. */
export interface LostLinks {
  /** Pages that link or redirect to the URL, and the rule that dropped the link. */
  readonly dropped: ReadonlyArray<{
    readonly fromUrl: string
    readonly segment: string
    readonly rule: string
  }>
  /** Pages that may link to it in the part of their body that was not kept. */
  readonly truncated: ReadonlyArray<{ readonly url: string; readonly segment: string; readonly why: string }>
  /** Pages with dropped links that were not searched, as there are too many. */
  readonly notSearched: number
}
