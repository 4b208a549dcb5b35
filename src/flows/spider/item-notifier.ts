import type { HandlerErrors } from './handler-errors.ts'

export type ItemListener = (item: unknown) => void | Promise<void>

/** Passes stored items to `onItem` listeners, one item at a time, in their order. */
export class ItemNotifier {
  readonly #listeners: readonly ItemListener[]
  readonly #errors: HandlerErrors
  #queue: Promise<void> = Promise.resolve()
  #pending = 0
  #isReleased = false
  #roomWanted: Array<() => void> = []

  constructor(listeners: readonly ItemListener[], errors: HandlerErrors) {
    this.#listeners = listeners
    this.#errors = errors
  }

  notify(items: readonly unknown[]): void {
    if (this.#listeners.length === 0) return
    this.#pending += items.length
    this.#queue = this.#queue.then(() => this.#notifyAll(items))
  }

  /** Fulfilled when few enough items wait for a slow listener that another page may be fetched. */
  async room(): Promise<void> {
    while (this.#pending >= MAX_PENDING && !this.#isReleased)
      await new Promise<void>((resolve) => this.#roomWanted.push(resolve))
  }

  /** The run ends: from now on there is always room. */
  release(): void {
    this.#isReleased = true
    this.#wake()
  }

  /** Fulfilled when the listeners have got all items. */
  finished(): Promise<void> {
    return this.#queue
  }

  async #notifyAll(items: readonly unknown[]): Promise<void> {
    for (const item of items) {
      for (const listener of this.#listeners) {
        try {
          await listener(item)
        } catch (error) {
          this.#errors.failed('onItem', error)
        }
      }
      this.#pending--
    }
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#roomWanted.splice(0)) resolve()
  }
}

/** Items that wait for a listener before fetching pauses. */
const MAX_PENDING = 1_000
