/** What the user should hear of a feed while the crawl goes on. */
export interface FeedNotice {
  /** As the user named it. */
  readonly target: string
  readonly kind: 'written-anew' | 'failed' | 'recovered' | 'fields-left-out'
  /** For people. */
  readonly message: string
}
