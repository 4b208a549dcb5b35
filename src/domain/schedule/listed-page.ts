/** What a sitemap or feed says about a page. Claims of the site, which may be wrong. */
export interface ListedPage {
  /** When it last changed (ms since the epoch). */
  readonly lastModified?: number
  /** `hourly`, `daily` and so on. */
  readonly changeFrequency?: string
  /** 0 to 1. @default 0.5 */
  readonly priority?: number
  /** The page is a sitemap. @default false */
  readonly isSitemap?: boolean
}

/** Metadata: the newest date of the last change that a sitemap or feed stated, as ISO 8601. */
export const LASTMOD_KEY = 'lastmod'
/** Metadata: the change frequency that a sitemap stated. */
export const CHANGEFREQ_KEY = 'changefreq'
/** Metadata: the page is a sitemap; present if it is one. */
export const SITEMAP_KEY = 'sitemap'
/** Metadata: a date after the last fetch was stated, but the content had not changed. Such dates are ignored until one is right. */
export const LASTMOD_WRONG_KEY = 'lastmodWrong'
/** In rows of segments only: it is part of the score in a record. */
export const PRIORITY_KEY = 'priority'
/** Priority of a page without one, as the sitemap protocol has it. */
const DEFAULT_PRIORITY = 0.5

/** Metadata of a listed page, for its row in a segment. */
export function listedMetadata(listed: ListedPage): Record<string, string> {
  const { lastModified, changeFrequency, priority, isSitemap } = listed
  return {
    ...(lastModified !== undefined && { [LASTMOD_KEY]: new Date(lastModified).toISOString() }),
    ...(changeFrequency !== undefined && { [CHANGEFREQ_KEY]: changeFrequency }),
    ...(isSitemap === true
      ? { [SITEMAP_KEY]: 'yes' }
      : { [PRIORITY_KEY]: String(priority ?? DEFAULT_PRIORITY) }),
  }
}

/** Time of a stated date; `undefined` if there is none, or it lies after `now`. */
export function statedChange(metadata: Readonly<Record<string, string>>, now: number): number | undefined {
  const time = Date.parse(metadata[LASTMOD_KEY] ?? '')
  return time <= now ? time : undefined
}
