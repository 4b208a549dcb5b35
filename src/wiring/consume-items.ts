import { z } from 'zod'
import type { FeedNotice } from '../adapters/feeds/feed.ts'
import type { FeedState } from '../adapters/feeds/feed-states.ts'
import type { FeedFile } from '../adapters/feeds/feed-target.ts'
import { type OpenFeed, type OpenFeedsOptions, openFeeds } from '../adapters/feeds/open-feeds.ts'
import type { FeedOutput } from '../adapters/feeds/output-feed.ts'
import type { ConsumableItems, TakenItems } from '../adapters/redis/item-taker.ts'
import type { Clock } from '../base/clock.ts'
import { nextSecond } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { ItemLog } from '../domain/frontier/item-log.ts'

export interface ConsumeItemsOptions {
  readonly clock: Clock
  /** For the target `-`. */
  readonly output: FeedOutput
  /** Stops after the items that were taken are written. */
  readonly signal: AbortSignal
  /** Called when no items are left: whether the crawl is finished. @default do not wait for more items */
  readonly isOver?: () => Promise<boolean>
  readonly onNotice?: (notice: FeedNotice) => void
  /** For targets in an object store. */
  readonly openStore: OpenFeedsOptions['openStore']
}

export interface ConsumedItems {
  readonly items: number
  /** Entries that are not items, and the list they were moved to. */
  readonly malformed: number
  readonly malformedKey: string
  /** As the user named them. */
  readonly targets: readonly string[]
}

/**
 * Writes the items of a crawl to files. Items are acknowledged when they are on disk, together with the length of the files; data beyond
 * that length is truncated before the next write. So each item is in one file once, even if the process crashes, or is suspended until
 * another has its items. The standard output cannot be truncated and may have items twice.
 * @throws ConfigurationError, ConsumerReplaced, and if a file cannot be written; unacknowledged items go to the next consumer
 */
export async function consumeItems(
  taker: ConsumableItems,
  targets: readonly FeedFile[],
  options: ConsumeItemsOptions,
): Promise<ConsumedItems> {
  const consumer = new ItemConsumer(taker, targets, options)
  try {
    return await consumer.run()
  } finally {
    // If Redis is unreachable, their leases expire.
    await taker.leave().catch(() => {})
  }
}

class ItemConsumer {
  readonly #taker: ConsumableItems
  readonly #targets: readonly FeedFile[]
  readonly #options: ConsumeItemsOptions
  /** As they were with the last acknowledgement. */
  #states: ReadonlyMap<string, FeedState> = new Map()
  #feeds: readonly OpenFeed[] = []
  #items = 0
  #malformed = 0
  #hasWritten = false
  #hasHadEnough = false

  constructor(taker: ConsumableItems, targets: readonly FeedFile[], options: ConsumeItemsOptions) {
    this.#taker = taker
    this.#targets = targets
    this.#options = options
  }

  async run(): Promise<ConsumedItems> {
    try {
      return await this.#consume()
    } finally {
      await this.#release()
    }
  }

  async #consume(): Promise<ConsumedItems> {
    this.#states = readStates(await this.#taker.join(), this.#taker.name)
    await this.#open()
    // A file that was truncated at the start belongs to this consumer now.
    await this.#taker.remember(this.#text())
    await this.#publish()
    const { signal, clock, isOver = async () => true } = this.#options
    while (!signal.aborted && !this.#hasHadEnough) {
      // Checked first, so that the last items are not missed.
      const isLast = await isOver()
      const taken = await this.#taker.take()
      if (taken.items.length > 0) {
        await this.#write(taken)
        continue
      }
      this.#malformed += taken.malformed
      if (isLast && (await this.#isAllDone())) break
      await nextSecond(clock, signal)
    }
    if (this.#hasWritten) await this.#close()
    return {
      items: this.#items,
      malformed: this.#malformed,
      malformedKey: this.#taker.malformedKey,
      targets: this.#feeds.map(({ target }) => target),
    }
  }

  /** A consumer that waits for the end of the crawl takes over items that others do not acknowledge. */
  async #isAllDone(): Promise<boolean> {
    return this.#options.isOver === undefined || (await this.#taker.count()) === 0
  }

  async #open(): Promise<void> {
    const { output, onNotice, clock, openStore } = this.#options
    await this.#release()
    this.#feeds = await openFeeds(NO_LOG, this.#targets, this.#states, {
      ...{ directory: undefined, overwrite: false, isOnlyCopy: true, output, clock, openStore },
      writeTable: () => Promise.reject(new RangeError('a table cannot be appended to')),
      ...withoutUndefined({ onNotice }),
    })
  }

  async #write({ items, malformed, acknowledge }: TakenItems): Promise<void> {
    this.#hasWritten = true
    await Promise.all(this.#feeds.map(({ feed }) => feed.take(items)))
    // The reader closed the output, and may not have received these items.
    this.#hasHadEnough = this.#feeds.some(({ feed }) => feed.ended)
    // When they are opened again, files are truncated to the acknowledged length.
    if (this.#hasHadEnough || !(await acknowledge(this.#text()))) return this.#open()
    this.#remembered()
    await this.#publish()
    this.#items += items.length
    this.#malformed += malformed
  }

  async #close(): Promise<void> {
    await Promise.all(this.#feeds.map(({ feed }) => feed.close()))
    await this.#taker.remember(this.#text())
    await this.#publish()
    await this.#taker.remember(this.#text())
  }

  /** Acknowledged items are in complete files, or in one that the next consumer of this name resumes. */
  async #publish(): Promise<void> {
    await Promise.all(this.#feeds.map(({ feed }) => feed.publish?.()))
  }

  async #release(): Promise<void> {
    await Promise.all(this.#feeds.map(({ feed }) => feed.release?.()))
  }

  #remembered(): void {
    this.#states = this.#current()
  }

  #text(): string {
    return JSON.stringify(Object.fromEntries(this.#current()))
  }

  #current(): Map<string, FeedState> {
    const states = new Map(this.#states)
    for (const { key, feed } of this.#feeds) if (feed.state !== undefined) states.set(key, feed.state)
    return states
  }
}

/** Nothing is read again. */
const NO_LOG: ItemLog = { items: async () => [], rejected: async () => [] }

const whole = z.int().nonnegative()
const STATES = z.record(
  z.string(),
  z.object({
    format: z.enum(['jsonl', 'json', 'csv']).exactOptional(),
    ...{ position: whole, from: whole, bytes: whole, items: whole, batch: whole },
    fields: z.array(z.string()).exactOptional(),
    columns: z.array(z.string()).exactOptional(),
    time: whole.exactOptional(),
    unpublished: z.array(z.string()).exactOptional(),
  }),
)

function readStates(text: string, name: string): Map<string, FeedState> {
  if (text === '') return new Map()
  try {
    return new Map(Object.entries(STATES.parse(JSON.parse(text))))
  } catch (cause) {
    throw new ConfigurationError(
      'STATE_FILE_INVALID',
      `what Redis remembers of the consumer ${name} is not what was written there: take items under another name, to other files`,
      { cause },
    )
  }
}
