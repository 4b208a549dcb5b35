import type { HandlerErrors } from './handler-errors.ts'
import type { AnySpider } from './spider-definition.ts'
import type { TimeLimit } from './time-limit.ts'

/** Tells a spider's `onItem` of the items that are in the crawl for good, one after the other and none for longer than the limit. */
export class ItemTeller {
  readonly #onItem: AnySpider['onItem']
  readonly #limit: TimeLimit
  readonly #errors: HandlerErrors
  #telling: Promise<void> = Promise.resolve()

  constructor(onItem: AnySpider['onItem'], limit: TimeLimit, errors: HandlerErrors) {
    this.#onItem = onItem
    this.#limit = limit
    this.#errors = errors
  }

  tell(items: readonly unknown[]): void {
    if (this.#onItem !== undefined) this.#telling = this.#telling.then(() => this.#tellOf(items))
  }

  /** Fulfilled when it has been told of all. */
  ended(): Promise<void> {
    return this.#telling
  }

  async #tellOf(items: readonly unknown[]): Promise<void> {
    for (const item of items) {
      try {
        await this.#limit.wait(Promise.resolve(this.#onItem?.(item)))
      } catch (error) {
        this.#errors.failed('onItem', error)
      }
    }
  }
}
