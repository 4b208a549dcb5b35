import type { FetchOutcome } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import type { AiUseStatement } from '../robots/ai-use.ts'
import type { RobotsCache, RobotsKnowledge } from '../robots/robots-cache.ts'
import type { RobotsRecord } from '../robots/robots-record.ts'
import type { RobotsVerdict } from '../robots/robots-verdict.ts'

/** The decision of robots.txt on a request. */
export type RobotsDecision =
  | {
      readonly kind: 'allowed'
      readonly crawlDelayMs: number
      readonly robots?: RobotsRecord | undefined
      /** The AI-use statements of the site about the URL. */
      readonly aiUse?: readonly AiUseStatement[]
    }
  | {
      readonly kind: 'disallowed'
      readonly reason: string
      /** Applies to the other URLs of the host. */
      readonly crawlDelayMs: number
      readonly robots?: RobotsRecord | undefined
    }
  /** Allowed, but with a longer Crawl-delay than `maxCrawlDelayMs`. */
  | { readonly kind: 'crawl-delay-too-long'; readonly reason: string }
  /** robots.txt could not be fetched. */
  | { readonly kind: 'robots-unreachable'; readonly reason: string; readonly retryAt: number }
  /** The host could not be reached: the outcome of the URL. */
  | { readonly kind: 'host-failed'; readonly outcome: FetchOutcome }

export interface RobotsCheckOptions {
  /** The longest Crawl-delay that is accepted, by queue key. */
  readonly maxCrawlDelayMs: (key: string) => number
  readonly keyOf: (url: string) => string
  /** Whether robots.txt applies to a URL: files have none. @default always */
  readonly hasRobots?: (url: string) => boolean
}

/** Sends a request of a site's own files. @param permission that of robots.txt; absent for robots.txt itself */
export type SendSiteRequest = (
  request: FetchRequest,
  permission?: Extract<RobotsDecision, { kind: 'allowed' }>,
) => Promise<FetchOutcome>

/** Checks robots.txt before each page, and fetches it through the queue of its host. */
export class RobotsCheck {
  readonly #robots: RobotsCache
  readonly #fetch: SendSiteRequest
  readonly #options: RobotsCheckOptions

  /** @param fetch waits for a slot in the queue of the request's host */
  constructor(robots: RobotsCache, fetch: SendSiteRequest, options: RobotsCheckOptions) {
    this.#robots = robots
    this.#fetch = fetch
    this.#options = options
  }

  /** `undefined`: robots.txt must be loaded first, or the files with the AI-use preferences of the site. */
  peekPage(url: string): RobotsDecision | undefined {
    const decision = this.peek(url)
    return decision?.kind === 'allowed' && this.#lacksAiUse(url) ? undefined : decision
  }

  /** Also loads the files with the AI-use preferences of the site, if they are wanted. They are not fetched for a URL that is not allowed. */
  async loadPage(url: string): Promise<RobotsDecision> {
    const decision = this.peek(url) ?? (await this.load(url))
    const files = this.#robots.aiUseFiles
    if (files === undefined || decision.kind !== 'allowed' || !this.#lacksAiUse(url)) return decision
    const isAllowed = (file: string) => this.peek(file)?.kind === 'allowed'
    await files.load(url, isAllowed, (request) => this.#fetch(request, decision))
    return this.peek(url) ?? decision
  }

  /** `undefined`: robots.txt must be loaded first. */
  peek(url: string): RobotsDecision | undefined {
    if (this.#options.hasRobots?.(url) === false) return NO_ROBOTS
    const known = this.#robots.known(url)
    return known && this.#decide(url, known.verdict, known)
  }

  /** Never call it while a slot is active: two sites whose robots.txt redirect to each other would wait forever. */
  async load(url: string): Promise<RobotsDecision> {
    const host = this.#options.keyOf(url)
    const verdict = await this.#robots.load(url, async (request) => {
      const outcome = await this.#fetch(request)
      if (outcome.kind !== 'blocked' || this.#options.keyOf(request.url) === host) return outcome
      // If the host itself is parked, no result is stored: the page is rejected when it is queued. A redirect to another, parked host is
      // stored as a failure, so that not every page of this host requests robots.txt again.
      return { ...outcome, kind: 'network-failure', cause: 'connect-failed' }
    })
    if (verdict.outcome !== undefined) return { kind: 'host-failed', outcome: { ...verdict.outcome, url } }
    return this.#decide(url, verdict, this.#robots.known(url))
  }

  #lacksAiUse(url: string): boolean {
    return this.#robots.aiUseFiles !== undefined && this.#robots.aiUseFiles.statements(url) === undefined
  }

  #aiUse(url: string, ofRobots: readonly AiUseStatement[]): readonly AiUseStatement[] {
    const ofFiles = this.#robots.aiUseFiles?.statements(url) ?? NO_STATEMENTS
    return ofFiles.length === 0 ? ofRobots : [...ofRobots, ...ofFiles]
  }

  #decide(
    url: string,
    { allowed, kind, reason, retryAt }: RobotsVerdict,
    known: RobotsKnowledge | undefined,
  ): RobotsDecision {
    const robots = known?.record
    if (kind === 'unreachable') return { kind: 'robots-unreachable', reason, retryAt: retryAt ?? 0 }
    const crawlDelayMs = known?.rules?.crawlDelayMs ?? 0
    if (!allowed) return { kind: 'disallowed', reason: `robots.txt: ${reason}`, crawlDelayMs, robots }
    const aiUse = this.#aiUse(url, known?.rules?.aiUse(url) ?? NO_STATEMENTS)
    const permission = { kind: 'allowed', crawlDelayMs, robots, aiUse } as const
    if (crawlDelayMs === 0) return permission
    const limitMs = this.#options.maxCrawlDelayMs(this.#options.keyOf(url))
    if (crawlDelayMs <= limitMs) return permission
    const limit = `politeness.maxCrawlDelaySeconds is ${limitMs / 1000} s`
    return {
      kind: 'crawl-delay-too-long',
      reason: `robots.txt: Crawl-delay of ${crawlDelayMs / 1000} s; ${limit}`,
    }
  }
}

const NO_ROBOTS: RobotsDecision = { kind: 'allowed', crawlDelayMs: 0 }
const NO_STATEMENTS: readonly AiUseStatement[] = []
