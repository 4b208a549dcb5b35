import { withoutUndefined } from '../../base/without-undefined.ts'
import type { DecodedText } from './decode-text.ts'
import { type FeedItem, type ParsedFeed, parseFeed } from './parse-feed.ts'
import { parseJsonFeed } from './read-feed.ts'
import type { PageKind } from './sniff-type.ts'

/** A feed with its entries: RSS, Atom or JSON Feed. */
export interface WebFeed {
  readonly title?: string
  readonly description?: string
  readonly language?: string
  /** The page that the feed belongs to. */
  readonly home?: string
  /** In the order of the feed. */
  readonly entries: readonly WebFeedEntry[]
}

/** An entry of a feed. Dates are ISO 8601 in UTC; texts may be HTML, as the feed has them. */
export interface WebFeedEntry {
  /** Absolute; absent if the entry has no page. */
  readonly url?: string
  /** The guid or id, as written. */
  readonly id?: string
  readonly title?: string
  readonly author?: string
  readonly published?: string
  readonly updated?: string
  readonly categories: readonly string[]
  readonly summary?: string
  readonly content?: string
  /** Files, such as the episode of a podcast. */
  readonly enclosures: ReadonlyArray<{ readonly url: string; readonly type?: string }>
}

/** Reads the feed at `url`; `undefined` if the page is not a feed. */
export function feedOf(
  url: string,
  kind: PageKind,
  { text }: Pick<DecodedText, 'text'>,
): WebFeed | undefined {
  if (kind !== 'feed' && kind !== 'json') return undefined
  const parsed = (kind === 'feed' ? parseFeed : parseJsonFeed)(text, { details: true })
  return parsed === undefined ? undefined : resolved(parsed, url)
}

function resolved({ title, description, language, home, items }: ParsedFeed, base: string): WebFeed {
  return {
    ...withoutUndefined({ title, description, language, home: absolute(home, base) }),
    entries: items.map((item) => entryOf(item, base)),
  }
}

function entryOf({ href, title, publishedAt, updatedAt, details }: FeedItem, base: string): WebFeedEntry {
  const { categories = [], enclosures = [], ...texts } = details ?? {}
  return {
    ...texts,
    ...withoutUndefined({
      url: absolute(href, base),
      title,
      published: isoDate(publishedAt),
      updated: isoDate(updatedAt),
    }),
    categories,
    enclosures: enclosures.flatMap(({ href: file, ...more }) => {
      const url = absolute(file, base)
      return url === undefined ? [] : [{ url, ...more }]
    }),
  }
}

function absolute(href: string | undefined, base: string): string | undefined {
  return href === undefined ? undefined : URL.parse(href, base)?.href
}

function isoDate(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString()
}
