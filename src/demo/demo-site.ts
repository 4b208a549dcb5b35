/** The sites of the demo web, by the names they link to each other with. */
export type SiteName = 'orb' | 'bakery' | 'courier' | 'manual' | 'photos' | 'home'

/**
 * Target of a link: `/path` on the same site, `bakery:/path` on another. The addresses are known only when the servers
 * are listening.
 */
export type Target = string

/** A page. See `render-page.ts` for the markup of `body`. */
export interface DemoPage {
  readonly kind: 'page'
  readonly title: string
  readonly description: string
  readonly body: string
  /** @default the site's */
  readonly language?: string
  /** Day it was last changed. @default the site's */
  readonly modified?: string
  /** Canonical URL. */
  readonly canonical?: Target
  /** Content of the robots meta tag: `noindex`, `nofollow`. */
  readonly robots?: string
  /** The same page in other languages. */
  readonly alternates?: Readonly<Record<string, Target>>
  /** @default 'utf-8' */
  readonly charset?: 'utf-8' | 'iso-8859-1'
  /** Delay of the response. @default 0 */
  readonly delayMs?: number
  /** Replaces `{count}` in the body by the number of requests, so that every response differs. @default false */
  readonly counts?: boolean
}

export interface DemoRedirect {
  readonly kind: 'redirect'
  readonly status: 301 | 302 | 307 | 308
  readonly to: Target
}

/** An error response. */
export interface DemoFailure {
  readonly kind: 'failure'
  readonly status: 404 | 410 | 500
  readonly body: string
}

/** Responds with 503 to the first request, and with the page to all others. */
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
  /** Its links; `body` receives their addresses in the same order. */
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

/** A crawler trap: an unlimited number of generated pages. */
export interface DemoTrap {
  /** Whether a path, with its query, belongs to it. */
  covers(path: string): boolean
  /** Whether the default URL rules reject such a path. Only few are accepted. */
  isTooFar(path: string): boolean
  page(path: string): DemoPage
}

export interface DemoSite {
  readonly name: SiteName
  readonly title: string
  readonly language: string
  readonly modified: string
  /** Hue of its colours, 0 to 359. */
  readonly hue: number
  /** Links at the top of every page: label, target. */
  readonly menu: ReadonlyArray<readonly [label: string, target: Target]>
  /** Absent: it has no robots.txt. */
  readonly robots?: DemoRobots
  /** Whether the head of every page links to `/feed.xml`. @default false */
  readonly feed?: boolean
  /** By path. */
  readonly resources: Readonly<Record<string, DemoResource>>
  readonly trap?: DemoTrap
}
