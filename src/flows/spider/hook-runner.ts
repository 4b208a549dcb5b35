import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { Drop } from './drop.ts'
import type { Page } from './handler-page.ts'
import { RetryLater, type SpiderHook } from './hooks.ts'
import { sendable } from './request-options.ts'
import type { CallLimit } from './time-limit.ts'

/** Shows requests to the hooks in their order, and pages in the reverse one. */
export class HookRunner {
  readonly #hooks: readonly SpiderHook[]
  readonly #limit: CallLimit

  constructor(hooks: readonly SpiderHook[], limit: CallLimit) {
    this.#hooks = hooks
    this.#limit = limit
  }

  /** The request as it is to be made, or why it is not. */
  async onRequest(request: CrawlRequest): Promise<CrawlRequest | Drop> {
    let current = request
    for (const hook of this.#hooks) {
      if (hook.request === undefined) continue
      const shown = current
      const verdict = await this.#limit.run(() => hook.request?.(shown))
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
      if (hook.response === undefined) continue
      const verdict = await this.#limit.run(() => hook.response?.(page))
      if (verdict instanceof Drop || verdict instanceof RetryLater) return verdict
    }
    return undefined
  }
}
