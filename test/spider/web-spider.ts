import type { Page } from '../../src/flows/spider/handler-page.ts'
import { spider } from '../../src/wiring/define-spider.ts'
import type { Resource } from '../../testing/synthetic-web/resource.ts'
import { accessTo } from '../../testing/synthetic-web/site-robots.ts'
import type { SyntheticWeb } from '../../testing/synthetic-web.ts'

/** Delay between two requests to one host. */
export const DELAY_MS = 15

/** Crawls a synthetic web by rules and yields an item for every page. */
export function webSpider(seeds: readonly string[]) {
  return spider({
    name: 'web',
    start: seeds,
    // Spiders do not read robots directives of pages, so nofollow links are part of the result.
    rules: [{ links: { deny: [/\/hidden\//, /replytocom/] }, handler: 'page', follow: true }],
    parse: pageItem,
    handlers: { page: pageItem },
    // Failures must not delay a test for minutes.
    retry: {
      retries: { rateLimited: 1, serverError: 1, network: 1, robots: 0 },
      delaySeconds: { rateLimited: 0.05, serverError: 0.05, network: 0.05 },
    },
    settings: {
      agent: { email: 'test@example.org' },
      // A host that is down reaches maxFailures over several kills; with the default of parkSeconds, the test would wait five minutes.
      politeness: { delaySeconds: DELAY_MS / 1000, backoffSeconds: 0.05, parkSeconds: 5 },
      limits: { redirectMax: 20 },
    },
  })
}

function pageItem(page: Page<{ url: string; title: string }, 'page' | 'parse'>) {
  return page.item({ url: page.url, title: page.text('title') })
}

export interface ExpectedRequests {
  /** Requested URLs, with any outcome. */
  readonly requested: string[]
  readonly items: string[]
  /** URLs that fail, with the code of their dead letters. */
  readonly failed: string[]
}

/** The expected requests, computed from the plan of the web. */
export function expectedRequests({ sites, seeds }: SyntheticWeb): ExpectedRequests {
  const found = new Set(seeds)
  const requested: string[] = []
  const items: string[] = []
  const failed: string[] = []
  for (const url of found) {
    const { origin, pathname, search } = new URL(url)
    const site = sites.get(origin)
    if (site === undefined) throw new Error(`${url} is on no site of this web`)
    const access = accessTo(pathname + search, site.plan.robots)
    if (access === 'unknown') failed.push(`${url} robots-unreachable`)
    if (access !== 'allowed') continue
    const resource = site.resourceAt(pathname + search)
    requested.push(url)
    if (resource?.kind === 'page' || resource?.kind === 'sitemap') items.push(url)
    else if (resource?.kind !== 'redirect') failed.push(`${url} ${failureOf(resource)}`)
    for (const link of linksOf(resource)) if (link.url !== undefined) found.add(link.url)
  }
  return { requested: requested.sort(), items: items.sort(), failed: failed.sort() }
}

function failureOf(resource: Extract<Resource, { kind: 'error' | 'hang-up' }> | undefined): string {
  return resource?.kind === 'hang-up' ? 'network-reset' : `http-${resource?.status ?? 404}`
}

function linksOf(resource: Resource | undefined) {
  if (resource?.kind === 'page') return resource.links
  return resource?.kind === 'redirect' ? [resource.to] : []
}

/** Violations that the servers recorded. @param maxRepeats requests that are made more than once, of each host */
export function violationsOf({ judge, sites }: SyntheticWeb, maxRepeats: number): string[] {
  const slow = [...sites.values()].flatMap(({ plan: { host, robots } }) =>
    robots.crawlDelaySeconds === undefined
      ? []
      : [[host, { minGapMs: robots.crawlDelaySeconds * 1000 }] as const],
  )
  return judge.violations({ minGapMs: DELAY_MS, maxRepeats, perHost: Object.fromEntries(slow) })
}
