import type { LoggedItem } from '../../domain/frontier/item-log.ts'
import { type Feed, PAGE_ITEMS } from './feed.ts'
import { type FeedState, FIRST_STATE } from './feed-states.ts'
import type { ItemWriter } from './feed-target.ts'

/** Hands items to code of the user's, each at least once. */
export class WriterFeed implements Feed {
  readonly ended = false
  readonly #writer: ItemWriter
  #state: FeedState

  constructor(writer: ItemWriter, state: FeedState = FIRST_STATE) {
    this.#writer = writer
    this.#state = state
  }

  get position(): number {
    return this.#state.position
  }

  get state(): FeedState {
    return this.#state
  }

  async take(items: readonly LoggedItem[]): Promise<void> {
    const { batchSize = PAGE_ITEMS } = this.#writer
    for (let i = 0; i < items.length; i += batchSize) {
      const some = items.slice(i, i + batchSize)
      await this.#writer.write(some)
      this.#state = { ...this.#state, position: some.at(-1)?.position ?? this.#state.position }
    }
  }

  async close(): Promise<void> {}
}
