import type { DemoResource, DemoSite, SiteName, Target } from './demo-site.ts'
import { linksOf } from './render-page.ts'

/** A URL that a polite crawler requests, and the status of the first response. */
export interface Reachable {
  readonly site: SiteName
  /** With its query. */
  readonly path: string
  readonly status: number
}

/**
 * The URLs reachable from the home pages: all links are followed except `nofollow` links, links of nofollow pages, URLs that
 * robots.txt disallows, and URLs that the default rules reject as traps.
 */
export function reachable(sites: ReadonlyMap<SiteName, DemoSite>): Reachable[] {
  const found = new Map<string, Reachable>()
  const waiting: Array<readonly [DemoSite, string]> = [...sites.values()].map((site) => [site, '/'])
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [site, path] = next
    const key = `${site.name}:${path}`
    if (found.has(key) || isForbidden(site, path)) continue
    const resource = resourceAt(site, path)
    found.set(key, { site: site.name, path, status: firstStatus(resource) })
    for (const target of targetsOf(resource, site)) {
      const place = placeOf(target, site.name)
      const other = sites.get(place.site)
      if (other === undefined) throw new Error(`${key} links to ${target}, which is not a site`)
      waiting.push([other, place.path])
    }
  }
  return [...found.values()]
}

/** The resource of a site at `path`; `undefined`: not found. */
export function resourceAt(site: DemoSite, path: string): DemoResource | undefined {
  // Own keys only: `/constructor` is not a page.
  if (Object.hasOwn(site.resources, path)) return site.resources[path]
  return site.trap?.covers(path) ? site.trap.page(path) : undefined
}

/** The site and path of `target` on a page of `from`, as requested: escaped and without a fragment. */
export function placeOf(target: Target, from: SiteName): { readonly site: SiteName; readonly path: string } {
  const [, site = from, path = '/'] = /^(?:([a-z]+):)?(\/.*)/.exec(target) ?? []
  const { pathname, search } = new URL(path, 'http://any.test')
  return { site: site as SiteName, path: pathname + search }
}

function isForbidden({ robots, trap }: DemoSite, path: string): boolean {
  const disallowed = robots?.disallow?.some((prefix) => path.startsWith(prefix)) ?? false
  return disallowed || (trap?.covers(path) === true && trap.isTooFar(path))
}

function targetsOf(resource: DemoResource | undefined, site: DemoSite): readonly Target[] {
  if (resource?.kind === 'page') return resource.robots?.includes('nofollow') ? [] : linksOf(resource, site)
  if (resource?.kind === 'redirect') return [resource.to]
  return resource?.kind === 'file' ? resource.links : []
}

function firstStatus(resource: DemoResource | undefined): number {
  if (resource === undefined) return 404
  if (resource.kind === 'busy') return 503
  return resource.kind === 'page' || resource.kind === 'file' ? 200 : resource.status
}
