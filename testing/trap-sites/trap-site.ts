/** A real dynamic site with far more views than content. */
export interface TrapSite {
  readonly name: string
  readonly seed: string
  /** By a name; docs/traps.md defines them. */
  readonly contentPages: ReadonlyMap<string, ContentPage>
  close(): Promise<void>
}

/**
 * Either a URL that has to be fetched; or a text, of which nine tenths of the phrases of three words have to be in fetched pages, where
 * several views show the same text.
 */
export type ContentPage = { readonly url: string } | { readonly text: string }
