/** The sites of the demo web, by the names they link to each other with. */
export type SiteName = 'orb' | 'bakery' | 'courier' | 'manual' | 'photos' | 'home'

/**
 * Where a link leads: `/path` on the same site, `bakery:/path` on another. The real addresses are known only when the web
 * is listening.
 */
export type Target = string

/** A page of prose. See `render-page.ts` for the marks that `body` may have. */
export interface DemoPage {
  readonly kind: 'page'
  readonly title: string
  readonly description: string
  readonly body: string
  /** @default the site's */
  readonly language?: string
  /** Day it was last changed. @default the site's */
  readonly modified?: string
  /** The URL the page would like to have. */
  readonly canonical?: Target
  /** For the robots meta tag: `noindex`, `nofollow`. */
  readonly robots?: string
  /** The same page in other languages. */
  readonly alternates?: Readonly<Record<string, Target>>
  /** @default 'utf-8' */
  readonly charset?: 'utf-8' | 'iso-8859-1'
  /** How long the response takes. @default 0 */
  readonly delayMs?: number
  /** `{visits}` in the body is the number of times it was asked for, so it is never the same twice. @default false */
  readonly counts?: boolean
}

export interface DemoRedirect {
  readonly kind: 'redirect'
  readonly status: 301 | 302 | 307 | 308
  readonly to: Target
}

/** A response without content of interest. */
export interface DemoFailure {
  readonly kind: 'failure'
  readonly status: 404 | 410 | 500
  readonly body: string
}

/** Busy when first asked, well ever after. */
export interface DemoBusyPage {
  readonly kind: 'busy'
  readonly retryAfterSeconds: number
  readonly page: DemoPage
}

/** Anything that is not HTML. */
export interface DemoFile {
  readonly kind: 'file'
  readonly type: string
  readonly modified?: string
  /** Its links; `body` is given their addresses in the same order. */
  readonly links: readonly Target[]
  readonly body: (addresses: readonly string[]) => string
}

export type DemoResource = DemoPage | DemoRedirect | DemoFailure | DemoBusyPage | DemoFile

/** The robots.txt of a site. */
export interface DemoRobots {
  /** Path prefixes. @default [] */
  readonly disallow?: readonly string[]
  readonly crawlDelaySeconds?: number
  /** Whether it names /sitemap.xml. @default false */
  readonly sitemap?: boolean
}

/** A site without ends: resources that are made up when they are asked for. */
export interface DemoTrap {
  /** Whether a path, with its query, belongs to it. */
  covers(path: string): boolean
  /** Of those, which a crawler with the default URL rules leaves alone. The others are few. */
  isTooFar(path: string): boolean
  page(path: string): DemoPage
}

export interface DemoSite {
  readonly name: SiteName
  readonly title: string
  readonly language: string
  readonly modified: string
  /** Of its colours, 0 to 359. */
  readonly hue: number
  /** Links on top of every page: label, target. */
  readonly menu: ReadonlyArray<readonly [label: string, target: Target]>
  /** Absent: it has no robots.txt. */
  readonly robots?: DemoRobots
  /** `/feed.xml` is announced in the head of every page. @default false */
  readonly feed?: boolean
  /** By path. */
  readonly resources: Readonly<Record<string, DemoResource>>
  readonly trap?: DemoTrap
}
