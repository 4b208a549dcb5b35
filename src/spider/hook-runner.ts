import type { CrawlRequest } from '../frontier/crawl-request.ts'
import { Drop } from './drop.ts'
import { RetryLater, type SpiderHook } from './hooks.ts'
import type { Page } from './page.ts'
import { sendable } from './request-options.ts'
import type { TimeLimit } from './time-limit.ts'

/** Shows requests to the hooks in their order, and pages in the reverse one. */
export class HookRunner {
  readonly #hooks: readonly SpiderHook[]
  readonly #limit: TimeLimit

  constructor(hooks: readonly SpiderHook[], limit: TimeLimit) {
    this.#hooks = hooks
    this.#limit = limit
  }

  /** The request as it is to be made, or why it is not. */
  async onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop> {
    let current = request
    for (const hook of this.#hooks) {
      if (hook.request === undefined) continue
      const verdict = await this.#limit.wait(Promise.resolve(hook.request(current)))
      if (verdict instanceof Drop) return verdict
      if (verdict !== undefined) {
        const { headers = current.headers, meta = current.meta } = verdict
        current = { ...current, ...(headers && { headers: sendable(headers) }), ...(meta && { meta }) }
      }
    }
    return current
  }

  /** `undefined`: the handler may have it. */
  async onResponse(page: Page): Promise<Drop | RetryLater | undefined> {
    for (const hook of this.#hooks.toReversed()) {
      const verdict = await this.#limit.wait(Promise.resolve(hook.response?.(page)))
      if (verdict instanceof Drop || verdict instanceof RetryLater) return verdict
    }
    return undefined
  }
}
