import type { JsonObject } from '../src/base/json.ts'
import { withoutUndefined } from '../src/base/without-undefined.ts'
import type { ResponseCache } from '../src/domain/fetch/fetcher.ts'
import type { FailedRequest } from '../src/domain/frontier/dead-letters.ts'
import type { Fleet } from '../src/domain/frontier/fleet.ts'
import type { Frontier } from '../src/domain/frontier/frontier.ts'
import type { PageBudget } from '../src/domain/frontier/page-budget.ts'
import { RobotsCache } from '../src/domain/robots/robots-cache.ts'
import { hostOf } from '../src/domain/url/host-of.ts'
import type { Page } from '../src/flows/spider/handler-page.ts'
import type { EngineOptions } from '../src/flows/spider/request-pipeline.ts'
import { retryPolicy } from '../src/flows/spider/retry-policy.ts'
import type { AnySpider, SpiderEnd } from '../src/flows/spider/spider-definition.ts'
import { SpiderEngine } from '../src/flows/spider/spider-engine.ts'
import { SpiderScope } from '../src/flows/spider/spider-scope.ts'
import type { SpiderStats } from '../src/flows/spider/spider-stats.ts'
import type { StartSource } from '../src/flows/spider/start-feeder.ts'
import { LeapClock } from './leap-clock.ts'
import { MemoryFrontier } from './memory-frontier.ts'
import { type Script, ScriptedFetcher } from './scripted-fetcher.ts'
import { testRules } from './test-rules.ts'

/** The responses by URL; a function is called for each request. */
export type LabWeb = Readonly<Record<string, Script | string | (() => Script | string)>>

export interface LabOptions extends Partial<EngineOptions> {
  /** Wraps the frontier of the lab. */
  readonly wrapFrontier?: (frontier: MemoryFrontier) => Frontier
  readonly cache?: ResponseCache
  readonly fleet?: Fleet
  readonly pageBudget?: PageBudget
  readonly startSource?: StartSource
}

/** A spider engine with its own web, frontier and clock, in memory. */
export class SpiderLab {
  readonly clock = new LeapClock()
  readonly web: ScriptedFetcher
  readonly #options: LabOptions
  #frontier: MemoryFrontier | undefined
  #engine: SpiderEngine | undefined

  constructor(web: LabWeb, options: LabOptions = {}) {
    this.web = new ScriptedFetcher(this.clock, asScripts(web))
    this.#options = options
  }

  /** Of the last run. */
  get engine(): SpiderEngine {
    if (this.#engine === undefined) throw new Error('nothing has been run')
    return this.#engine
  }

  /** Kept over several runs of the lab. */
  get frontier(): MemoryFrontier {
    if (this.#frontier === undefined) throw new Error('nothing has been run')
    return this.#frontier
  }

  get stats(): SpiderStats {
    return this.engine.stats()
  }

  /** The pages that were requested, in order. */
  get requested(): string[] {
    return this.web.requests.map(({ url }) => url).filter((url) => !url.endsWith('/robots.txt'))
  }

  /** Starts a crawl; the caller advances the clock. */
  start(spider: Partial<AnySpider>, signal = new AbortController().signal): Promise<SpiderEnd> {
    const { clock } = this
    const { wrapFrontier, cache, fleet, pageBudget, startSource, ...options } = this.#options
    const { order } = spider
    this.#frontier ??= new MemoryFrontier(clock, order === undefined ? {} : { order })
    const { normalize, filter } = testRules(clock, { filters: { rules: ['+.'] } })
    const hosts = this.#engine?.hostStates() ?? []
    this.#engine = new SpiderEngine(
      {
        ...{ clock, fetcher: this.web, normalize, filter },
        frontier: wrapFrontier?.(this.#frontier) ?? this.#frontier,
        robots: new RobotsCache(clock, 'testbot'),
        scope: new SpiderScope(spider.allow),
        ...withoutUndefined({ cache, fleet, pageBudget, startSource }),
      },
      { name: 'lab', ...spider },
      {
        threads: 4,
        politeness: { delayMs: 100, backoffMs: 100, maxFailures: 100 },
        keyOf: hostOf,
        retry: retryPolicy(spider.retry),
        maxRedirects: 3,
        ...options,
      },
    )
    this.#engine.restoreHosts(hosts)
    return this.#engine.run(signal)
  }

  /** Crawls to the end, for as long as needed on its clock. */
  run(spider: Partial<AnySpider>, signal?: AbortSignal): Promise<SpiderEnd> {
    return this.clock.run(this.start(spider, signal))
  }

  async items(): Promise<JsonObject[]> {
    return (await this.frontier.items(0, 1e6)).map(({ item }) => item)
  }

  async rejected(): Promise<Array<readonly [item: JsonObject, reason: string]>> {
    return (await this.frontier.rejected(0, 1e6)).map(({ item, reason }) => [item, reason] as const)
  }

  failed(): Promise<readonly FailedRequest[]> {
    return this.frontier.failed()
  }
}

/** A page with links to these. */
export function linksTo(...hrefs: readonly string[]): string {
  return `<title>links</title>${hrefs.map((href) => `<a href="${href}">to ${href}</a>`).join(' ')}`
}

/** A handler that follows all links and yields an item for each page. */
export function* followAll(page: Page) {
  yield page.item({ url: page.url })
  yield* page.followAll('a')
}

/** The responses one after the other; the last one is repeated. */
export function inTurn(
  ...responses: readonly [Script | string, ...Array<Script | string>]
): () => Script | string {
  let requested = 0
  return () => responses[Math.min(requested++, responses.length - 1)] ?? responses[0]
}

function asScripts(web: LabWeb): Readonly<Record<string, Script | string>> {
  const scripts: Record<string, Script | string> = {}
  for (const [url, response] of Object.entries(web))
    Object.defineProperty(scripts, url, { get: typeof response === 'function' ? response : () => response })
  return scripts
}
