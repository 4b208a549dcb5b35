import type { HandlerErrors } from './handler-errors.ts'

/** Tells a spider's `onItem` of the items that are in the crawl for good, one after the other. */
export class ItemTeller {
  readonly #onItem: ((item: unknown) => Promise<void>) | undefined
  readonly #errors: HandlerErrors
  #telling: Promise<void> = Promise.resolve()

  constructor(onItem: ((item: unknown) => Promise<void>) | undefined, errors: HandlerErrors) {
    this.#onItem = onItem
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
        await this.#onItem?.(item)
      } catch (error) {
        this.#errors.failed('onItem', error)
      }
    }
  }
}
