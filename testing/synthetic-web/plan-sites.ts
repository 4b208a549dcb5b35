import { chance } from './chance.ts'
import { type SiteRobots, siteRobots } from './site-robots.ts'
import { type SitePlan, SyntheticSite } from './synthetic-site.ts'

export interface WebPlan {
  /** Sites that a crawl starts from. */
  readonly hosts: number
  /** Pages of all of them together, without what is in corners. The largest site has most, the others by Zipf's law. */
  readonly pages: number
  /** Whether there are errors, redirects, traps and the like, and difficult robots.txt files. @default true */
  readonly hostile?: boolean
  /** Links across sites from each page. @default 2 */
  readonly crossLinks?: number
  /** Words on a page. @default 60 */
  readonly words?: number
  /** Whether requests are forgotten, for webs with more requests than a judge can store. @default false */
  readonly forgetful?: boolean
  /** Another number makes another web. @default 1 */
  readonly seed?: number
  /** @default 'orbweaver' */
  readonly agent?: string
}

/** How unequal sites are: less than on the web, where a crawl of the largest would take as long as all others. */
const ZIPF_EXPONENT = 0.5
/** Number of sites outside the scope of a crawl. */
export const OUTSIDERS = 2

/** The address of a site: every one has its own, and all of them are this machine. */
export function addressOf(site: number): string {
  return `127.0.${1 + Math.floor(site / 250)}.${1 + (site % 250)}`
}

/** The sites of a web; the last `OUTSIDERS` are outside its scope. */
export function planSites(plan: WebPlan, port: number, year: number): SyntheticSite[] {
  const { hosts, hostile = true, words = 60, seed = 1 } = plan
  const sizes = zipfSizes(hosts, plan.pages)
  const originOf = (site: number): string => `http://${addressOf(site)}:${port}`
  const outside = originOf(hosts)
  const robotsOf = robotsFor(plan)
  return Array.from({ length: hosts + OUTSIDERS }, (_, number) => {
    const sitePlan: SitePlan = {
      host: addressOf(number),
      origin: originOf(number),
      number: number + seed * 1_000_003,
      pages: sizes[number] ?? 1,
      robots: robotsOf(number),
      words,
      elsewhere: (page) =>
        crossLinks(plan, sizes, number, page).map(([site, there]) => urlOf(originOf(site), there)),
      ...(hostile &&
        number % 10 === 0 &&
        number < hosts && {
          corners: {
            origin: originOf(number),
            neighbour: originOf((number + 1) % hosts),
            outside,
            seed: number + seed,
            year,
          },
        }),
    }
    return new SyntheticSite(sitePlan)
  })
}

function urlOf(origin: string, page: number): string {
  return page === 0 ? `${origin}/` : `${origin}/p/${page}`
}

/** The last sites, which are small, have the difficult files. */
function robotsFor({ hosts, hostile = true, agent = 'orbweaver' }: WebPlan): (site: number) => SiteRobots {
  const { common, strict, byName, slow, missing, forbidden, broken } = siteRobots(agent)
  const usual = [common, strict, byName, missing]
  const last = new Map<number, SiteRobots>([
    [hosts - 1, broken],
    [hosts - 2, forbidden],
    [hosts - 3, slow],
  ])
  return (site) => (hostile ? (last.get(site) ?? usual[site % usual.length] ?? common) : missing)
}

function crossLinks(
  { hosts, crossLinks: count = 2, seed = 1 }: WebPlan,
  sizes: readonly number[],
  site: number,
  page: number,
): Array<readonly [site: number, page: number]> {
  return Array.from({ length: count }, (_, i) => {
    const goal = i === 0 ? site : chance(seed, site, page, i) % hosts
    return [goal, chance(seed, site, page, i, 1) % (sizes[goal] ?? 1)] as const
  })
}

function zipfSizes(hosts: number, pages: number): number[] {
  const weights = Array.from({ length: hosts }, (_, i) => (i + 1) ** -ZIPF_EXPONENT)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  // Each site has a front page; the rest is shared out, and what rounding leaves goes to the largest, a page each.
  const sizes = weights.map((weight) => 1 + Math.floor(((pages - hosts) * weight) / total))
  const left = pages - sizes.reduce((sum, size) => sum + size, 0)
  return sizes.map((size, i) => (i < left ? size + 1 : size))
}
