/** What becomes of a redirect. `why` is for people. */
export type RedirectVerdict =
  | { readonly kind: 'follow'; readonly url: string }
  /** Not now, or not by us: it is recorded as a link, and the CrawlDb decides. */
  | { readonly kind: 'link'; readonly url: string; readonly why: string }
  /** It leads back to where it came from. */
  | { readonly kind: 'circle'; readonly why: string }
  /** A target that this crawl does not visit. `dropReason` is what it is counted by. */
  | { readonly kind: 'drop'; readonly why: string; readonly dropReason: string }
