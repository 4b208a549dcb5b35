import { buildRules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { fetcherOptions } from '../adapters/config/fetcher-options.ts'
import { HttpFetcher } from '../adapters/http/http-fetcher.ts'
import { type Clock, steadyClock } from '../base/clock.ts'
import { CrawlError } from '../base/crawl-error.ts'
import { printableLine } from '../base/format-values.ts'
import { packageVersion } from '../base/package-version.ts'
import type { FetchOutcome } from '../domain/fetch/fetch-outcome.ts'
import { PoliteFetcher } from '../domain/politeness/polite-fetcher.ts'
import { outcomeOf } from '../domain/politeness/polite-result.ts'
import { RobotsCache } from '../domain/robots/robots-cache.ts'
import { hostOf } from '../domain/url/host-of.ts'
import type { UrlNormalizer } from '../domain/url/normalize-url.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { Page } from '../flows/spider/handler-page.ts'
import { failureReason } from '../flows/spider/retry-policy.ts'

export interface PageFetcherOptions {
  /** The URL that the user gave. */
  readonly named: string
  /** Its host, if it has a private address. */
  readonly privateNames: readonly string[]
  readonly onWarning: (message: string) => void
}

/**
 * The page of `orbweaver shell` could not be fetched, or robots.txt disallows it.
 * Remedy: The message has the cause; `orbweaver check <url>` shows each step.
 */
export class PageUnavailable extends CrawlError {
  readonly code = 'PAGE_UNAVAILABLE'
  readonly retryable = true
}

/** Fetches single pages as a spider would: with robots.txt, the delay of each host and redirects. */
export class PageFetcher {
  readonly #clock: Clock
  readonly #fetcher: PoliteFetcher
  readonly #normalize: UrlNormalizer
  readonly #maxRedirects: number

  constructor(settings: Settings, options: PageFetcherOptions, clock: Clock = steadyClock) {
    const { normalize, hosts } = buildRules(settings, { clock })
    const http = new HttpFetcher({
      ...fetcherOptions(settings, packageVersion(), [hostOf(options.named)], options.privateNames),
      onWarning: options.onWarning,
    })
    const { queueMode } = settings.politeness
    const robots = new RobotsCache(clock, [settings.agent.name], settings.robots)
    this.#clock = clock
    this.#fetcher = new PoliteFetcher(
      { clock, fetcher: http, robots },
      { threads: 1, keyOf: (url) => queueKey(url, queueMode), politeness: hosts },
    )
    this.#normalize = normalize
    this.#maxRedirects = settings.limits.redirectMax
  }

  /**
   * The page at a URL, with any status.
   * @param base for a relative URL
   * @throws PageUnavailable
   */
  async fetchPage(input: string, base?: string): Promise<Page> {
    const hops: string[] = []
    let next = this.#normalized(input, base)
    for (;;) {
      const outcome = await this.#fetch(next)
      if (outcome.kind !== 'moved') return this.#pageOf(outcome, hops)
      hops.push(next)
      if (hops.length > this.#maxRedirects)
        throw new PageUnavailable(`${printableLine(input)}: more than ${this.#maxRedirects} redirects`)
      next = this.#normalized(outcome.to, next)
    }
  }

  close(): Promise<void> {
    return this.#fetcher.close()
  }

  #normalized(input: string, base: string | undefined): string {
    const normalized = this.#normalize(input, base)
    if (normalized.ok) return normalized.url
    throw new PageUnavailable(
      `${JSON.stringify(printableLine(input))} is not a URL that can be fetched: ${normalized.detail}`,
    )
  }

  async #fetch(url: string): Promise<FetchOutcome> {
    const result = await this.#fetcher.fetch({ request: { url, keepErrorBody: true } })
    if (result.kind === 'fetched') result.release()
    if (result.kind === 'disallowed' || result.kind === 'robots-unreachable')
      throw new PageUnavailable(`${printableLine(url)}: ${printableLine(result.reason)}`)
    return outcomeOf(result, url, this.#clock.now()) as FetchOutcome
  }

  #pageOf(outcome: FetchOutcome, redirectedFrom: readonly string[]): Page {
    const { url } = outcome
    if (!('response' in outcome))
      throw new PageUnavailable(`${printableLine(url)}: ${printableLine(failureReason(outcome))}`)
    const { status, headers } = outcome.response
    const bytes = ('body' in outcome && outcome.body?.bytes) || new Uint8Array()
    const request = { url, handler: 'parse', depth: 0, redirectedFrom }
    return new Page({ request, attempt: 1, status, headers, bytes, normalize: this.#normalize })
  }
}
