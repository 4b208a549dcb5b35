import { chance, words } from './chance.ts'
import { type Corner, type CornerPlace, corners } from './corners.ts'
import { type Link, link, type Resource } from './resource.ts'
import type { SiteRobots } from './site-robots.ts'

export interface SitePlan {
  /** `127.0.1.1`. */
  readonly host: string
  readonly origin: string
  /** Its place among the sites of the web. */
  readonly number: number
  /** `/` and `/p/1`, `/p/2` … */
  readonly pages: number
  readonly robots: SiteRobots
  /** Where its corners are; absent: it has none. */
  readonly corners?: CornerPlace
  /** Words on a page. */
  readonly words: number
  /** Links of a page to pages that are not below it: one to each of these, and one on its own site. */
  readonly elsewhere: (page: number) => readonly string[]
}

/** Pages below a page. */
const FAN_OUT = 8

/** One site: a tree of pages with links across it. Nothing is stored: what is at a path follows from the path. */
export class SyntheticSite {
  readonly plan: SitePlan
  readonly #corners: readonly Corner[]
  readonly #inCorners: ReadonlyMap<string, Resource>

  constructor(plan: SitePlan) {
    this.plan = plan
    this.#corners = plan.corners === undefined ? [] : corners(plan.corners)
    this.#inCorners = new Map(this.#corners.flatMap(({ resources }) => Object.entries(resources)))
  }

  /** `undefined`: nothing is there. */
  resourceAt(path: string): Resource | undefined {
    const number = path === '/' ? 0 : Number(/^\/p\/([1-9]\d*)$/.exec(path)?.[1])
    return number < this.plan.pages ? this.#page(number) : this.#inCorners.get(path)
  }

  urlOf(page: number): string {
    return `${this.plan.origin}${page === 0 ? '/' : `/p/${page}`}`
  }

  #page(number: number): Resource {
    const { plan } = this
    const bits = chance(plan.number, number)
    return {
      kind: 'page',
      text: words(plan.words, plan.number, number),
      links: [
        ...this.#below(number),
        ...plan.elsewhere(number).map(link),
        ...(number === 0 ? this.#corners.flatMap(({ entries }) => entries) : []),
      ],
      validator: VALIDATORS[bits % VALIDATORS.length] ?? 'none',
      changes: (bits >>> 8) % 10 === 0,
    }
  }

  /** The tree, by which every page can be reached; written in the many ways that people and machines write links. */
  #below(number: number): Link[] {
    const links: Link[] = []
    for (let child = number * FAN_OUT + 1; child <= (number + 1) * FAN_OUT; child++) {
      if (child >= this.plan.pages) break
      const url = this.urlOf(child)
      const write = WAYS_TO_WRITE[chance(this.plan.number, number, child) % WAYS_TO_WRITE.length]
      links.push({ href: write?.(url, `/p/${child}`) ?? url, url })
    }
    return links
  }
}

const VALIDATORS = ['etag', 'date', 'etag', 'none'] as const

const WAYS_TO_WRITE: ReadonlyArray<(url: string, path: string) => string> = [
  (url) => url,
  (_, path) => path,
  (_, path) => `${path}#part-2`,
  (_, path) => `/x/..${path}`,
  (_, path) => `${path};jsessionid=1A2B3C`,
  (_, path) => `${path}?sid=4711`,
  (url) => url.replace('http:', ''),
  (url) => url.replace('http://', 'HTTP://'),
]
