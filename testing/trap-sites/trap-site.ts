/** A real dynamic site with far more views than content. */
export interface TrapSite {
  readonly name: string
  readonly seed: string
  /** Number of content pages; docs/traps.md defines them. */
  readonly contentPages: number
  /** The content page that a URL shows; `undefined`: another view. Several views may show the same content page. */
  contentOf(url: string): string | undefined
  close(): Promise<void>
}
