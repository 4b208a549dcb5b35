import type { RobotsCache } from '../../domain/robots/robots-cache.ts'

/** Where sites have their sitemap that name none in robots.txt. */
const USUAL_PLACES = ['/sitemap.xml', '/sitemap_index.xml', '/sitemap.xml.gz', '/sitemap.txt']

/** Origins that are remembered; for more, their sitemaps may be added again, which has no effect. */
const MAX_ORIGINS = 50_000

/**
 * Finds the sitemaps of sites: those in robots.txt, or else the usual places. They are given out with the first page of an origin, and are then
 * URLs like any other: the filters, robots.txt and the queue of their host apply.
 */
export class SiteSitemaps {
  readonly #robots: Pick<RobotsCache, 'rules'>
  readonly #origins = new Set<string>()

  constructor(robots: Pick<RobotsCache, 'rules'>) {
    this.#robots = robots
  }

  /** Gives the sitemaps of the site of a page out again with its next page: this one could not be parsed. */
  requeue(pageUrl: string): void {
    this.#origins.delete(new URL(pageUrl).origin)
  }

  /** The sitemaps of the site of a page; none if they were given out before. */
  take(pageUrl: string): readonly string[] {
    const { origin } = new URL(pageUrl)
    if (this.#origins.has(origin)) return []
    if (this.#origins.size >= MAX_ORIGINS) this.#origins.clear()
    this.#origins.add(origin)
    const named = this.#robots.rules(pageUrl)?.sitemaps ?? []
    return named.length > 0 ? named : USUAL_PLACES.map((path) => origin + path)
  }
}
