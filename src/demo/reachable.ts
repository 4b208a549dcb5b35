import type { DemoResource, DemoSite, SiteName, Target } from './demo-site.ts'
import { linksOf } from './render-page.ts'

/** A URL that a polite crawler asks for, and what it is told the first time. */
export interface Reachable {
  readonly site: SiteName
  /** With its query. */
  readonly path: string
  readonly status: number
}

/**
 * What there is to find from the front pages: every link is followed but `nofollow` ones, those of pages that say nofollow, what the
 * robots.txt of a site forbids, and what the default URL rules take for a trap.
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
      if (other === undefined) throw new Error(`${key} links to ${target}, and there is no such site`)
      waiting.push([other, place.path])
    }
  }
  return [...found.values()]
}

/** What a site has at `path`; `undefined`: nothing. */
export function resourceAt(site: DemoSite, path: string): DemoResource | undefined {
  // Own keys alone: `/constructor` is no page.
  if (Object.hasOwn(site.resources, path)) return site.resources[path]
  return site.trap?.covers(path) ? site.trap.page(path) : undefined
}

/** The site and path that `target` means on a page of `from`: as it is asked for, so escaped and without a fragment. */
export function placeOf(target: Target, from: SiteName): { readonly site: SiteName; readonly path: string } {
  const [, site = from, rest = '/'] = /^(?:([a-z]+):)?(\/.*)/.exec(target) ?? []
  const { pathname, search } = new URL(rest, 'http://any.test')
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
