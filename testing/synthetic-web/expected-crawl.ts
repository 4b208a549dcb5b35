import type { DbStatus } from '../../src/domain/crawldb/crawl-status.ts'
import type { Link, Resource } from './resource.ts'
import { accessTo } from './site-robots.ts'
import type { SyntheticSite } from './synthetic-site.ts'

/** What a crawl must know of a URL in the end. */
export interface Expectation {
  readonly status: DbStatus
  /** Whether it may be, and so must have been, requested. */
  readonly requested: boolean
  /** Links and redirects between the nearest seed and it. */
  readonly distance: number
}

/**
 * Every URL that a crawl from `seeds` comes to know, and how it ends. Worked out from the plan of the web alone: a link says itself
 * the expected result, so no code of the crawler checks itself.
 */
export function expectedCrawl(
  sites: ReadonlyMap<string, SyntheticSite>,
  seeds: readonly string[],
): Map<string, Expectation> {
  const found = new Map<string, Expectation>()
  let level = new Set(seeds)
  for (let distance = 0; level.size > 0; distance++) {
    const next = new Set<string>()
    for (const url of level) {
      const { links, ...end } = endOf(sites, url)
      found.set(url, { ...end, distance })
      for (const link of links) if (link.url !== undefined) next.add(link.url)
    }
    level = new Set([...next].filter((url) => !found.has(url)))
  }
  return found
}

interface End {
  readonly status: DbStatus
  readonly requested: boolean
  readonly links: readonly Link[]
}

function endOf(sites: ReadonlyMap<string, SyntheticSite>, url: string): End {
  const { origin, pathname, search } = new URL(url)
  const site = sites.get(origin)
  if (site === undefined) throw new Error(`${url} is on no site of this web`)
  const access = accessTo(pathname + search, site.plan.robots)
  if (access === 'denied') return { status: 'db_gone', requested: false, links: [] }
  if (access === 'unknown') return { status: 'db_unfetched', requested: false, links: [] }
  const resource = site.resourceAt(pathname + search)
  return { status: statusOf(resource), requested: true, links: linksOf(resource) }
}

function statusOf(resource: Resource | undefined): DbStatus {
  switch (resource?.kind) {
    case 'page':
    case 'sitemap':
      return 'db_fetched'
    case 'redirect':
      if (resource.circle) return 'db_unfetched'
      return resource.status === 301 || resource.status === 308 ? 'db_redir_perm' : 'db_redir_temp'
    case 'error':
      return resource.status < 500 ? 'db_gone' : 'db_unfetched'
    case 'hang-up':
      return 'db_unfetched'
    case undefined:
      return 'db_gone'
  }
}

function linksOf(resource: Resource | undefined): readonly Link[] {
  switch (resource?.kind) {
    case 'page': {
      if (resource.directive?.value === 'nofollow') return []
      const { links, refresh } = resource
      return refresh === undefined ? links : [...links, refresh]
    }
    case 'sitemap':
      return resource.links
    case 'redirect':
      return resource.circle ? [] : [resource.to]
    default:
      return []
  }
}
