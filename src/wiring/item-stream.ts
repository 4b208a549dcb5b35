/**
 * The items of a run, on their way to the program: kept for the result, or read one by one. A reader that is slower than the crawl slows
 * the crawl down: at most `MAX_UNREAD` items wait for it.
 */
export class ItemStream<Item> implements AsyncIterable<Item> {
  readonly #isCollecting: () => boolean
  readonly #onRead: () => void
  readonly #onStop: () => void
  #items: Item[] = []
  #hasReader = false
  #isStopped = false
  #end: { readonly error?: unknown } | undefined
  #change = Promise.withResolvers<void>()

  /**
   * @param events.isCollecting whether items are kept while nothing reads them
   * @param events.onRead called when reading begins
   * @param events.onStop called when the reader leaves before the end
   */
  constructor(events: {
    readonly isCollecting: () => boolean
    readonly onRead: () => void
    readonly onStop: () => void
  }) {
    this.#isCollecting = events.isCollecting
    this.#onRead = events.onRead
    this.#onStop = events.onStop
  }

  /** Fulfilled when the next item may come. */
  async push(item: Item): Promise<void> {
    if (this.#isStopped || !(this.#hasReader || this.#isCollecting())) return
    this.#items.push(item)
    this.#changed()
    while (this.#hasReader && !this.#isStopped && this.#items.length >= MAX_UNREAD) await this.#change.promise
  }

  /** The run is over; `error`: it failed. */
  close(end: { readonly error?: unknown } = {}): void {
    this.#end = end
    this.#changed()
  }

  /** The items that nothing has read. */
  takeAll(): Item[] {
    return this.#hasReader ? [] : this.#items
  }

  async *#read(): AsyncGenerator<Item, void, void> {
    let isOver = false
    try {
      for (;;) {
        const batch = this.#items
        this.#items = []
        this.#changed()
        yield* batch
        if (this.#items.length > 0) continue
        if (this.#end !== undefined) break
        await this.#change.promise
      }
      isOver = true
    } finally {
      this.#isStopped = true
      this.#changed()
      if (!isOver) this.#onStop()
    }
    if ('error' in this.#end) throw this.#end.error
  }

  /** @throws TypeError when the items are already being read */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, void> {
    if (this.#hasReader) throw new TypeError('the items of a run can be read once')
    this.#hasReader = true
    this.#onRead()
    return this.#read()
  }

  #changed(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}

const MAX_UNREAD = 1_000
