import type { LinkListing } from '../content/page-reading.ts'
import { FIXED_INTERVAL_KEY } from './fixed-interval.ts'

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
/** Sitemaps are fetched every day: they are how new pages are found. */
const SITEMAP_INTERVAL_SECONDS = 86_400

/**
 * Added to the score of a sitemap, as the priority of a page is. Sitemaps come before the pages that others list: a list of limited length
 * would leave out most of them, and their pages, until all of these pages are fetched. They do not pass it on to their entries.
 */
export const SITEMAP_PRIORITY = 10

/** Metadata of a listed page, for its row in a segment. */
export function listedMetadata(listed: LinkListing): Record<string, string> {
  const { lastModified, changeFrequency, priority, isSitemap } = listed
  return {
    ...(lastModified !== undefined && { [LASTMOD_KEY]: new Date(lastModified).toISOString() }),
    ...(changeFrequency !== undefined && { [CHANGEFREQ_KEY]: changeFrequency }),
    ...(priority !== undefined && { [PRIORITY_KEY]: String(priority) }),
    ...(isSitemap === true && {
      [SITEMAP_KEY]: 'yes',
      [FIXED_INTERVAL_KEY]: String(SITEMAP_INTERVAL_SECONDS),
      [PRIORITY_KEY]: String(SITEMAP_PRIORITY),
    }),
  }
}

/** Time of a stated date; `undefined` if there is none, or it lies after `now`. */
export function statedChange(metadata: Readonly<Record<string, string>>, now: number): number | undefined {
  const time = Date.parse(metadata[LASTMOD_KEY] ?? '')
  return time <= now ? time : undefined
}
