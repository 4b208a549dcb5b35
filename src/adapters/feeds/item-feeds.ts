import type { Clock } from '../../base/clock.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { ItemLog } from '../../domain/frontier/item-log.ts'
import { type FeedNotice, type FeedSource, PAGE_ITEMS } from './feed.ts'
import { FeedStates } from './feed-states.ts'
import type { FeedTarget } from './feed-target.ts'
import { type OpenFeed, type OpenFeedsOptions, openFeeds } from './open-feeds.ts'

/** How a feed ended. */
export interface FeedResult {
  readonly target: string
  /** Why it is incomplete; the next run resumes it. */
  readonly error?: Error
}

/**
 * Copies the items of a crawl to its feed exports, each at its own rate. The item log is the source; a feed persists its position in the log
 * after the copy is durable. After a crash, the next process resumes there, and no item is missing or duplicated.
 */
export class ItemFeeds {
  readonly #feeds: readonly FeedInUse[]
  readonly #states: FeedStates
  readonly #clock: Clock
  readonly #notify: (notice: FeedNotice) => void
  /** Why the states of the feeds could not be written the last time. */
  #unsaved: Error | undefined
  #following: Promise<void> | undefined

  private constructor(feeds: readonly OpenFeed[], states: FeedStates, options: OpenFeedsOptions) {
    this.#feeds = feeds.map((feed) => ({
      ...feed,
      ...{ error: undefined, tryAgainAt: 0 },
      ...{ publishing: undefined, publishError: undefined, publishAgainAt: 0 },
    }))
    this.#states = states
    this.#clock = options.clock
    this.#notify = options.onNotice ?? (() => {})
  }

  /** @throws ConfigurationError about a target that cannot be used */
  static async open(
    log: ItemLog,
    targets: readonly FeedTarget[],
    options: OpenFeedsOptions,
  ): Promise<ItemFeeds> {
    const states = await FeedStates.open(options.directory)
    const feeds = new ItemFeeds(await openFeeds(log, targets, states, options), states, options)
    // A file that is to be written anew must not count as it was when this process dies.
    await feeds.#remember()
    return feeds
  }

  /** Copies what is new. Cheap when nothing is; while one is under way, another is the same. @throws when the log cannot be read */
  follow(): Promise<void> {
    this.#following ??= this.#copy().finally(() => {
      this.#following = undefined
    })
    return this.#following
  }

  /** Copies the last items and completes the files. To be called once, at a clean end. */
  async close(): Promise<readonly FeedResult[]> {
    // Who called it has heard of its failure.
    await this.#following?.catch(() => {})
    for (const feed of this.#feeds) feed.tryAgainAt = 0
    try {
      await this.follow()
      if (this.#unsaved === undefined) {
        const sound = this.#feeds.filter(({ error }) => error === undefined)
        await Promise.all(sound.map((open) => this.#attempt(open, () => open.feed.close())))
        if (await this.#remember()) await this.#publishAll()
      }
    } finally {
      await Promise.all(this.#feeds.map(({ feed }) => feed.release?.()))
    }
    return this.#feeds.map(({ target, publishError, error = publishError ?? this.#unsaved }) => ({
      target,
      ...withoutUndefined({ error }),
    }))
  }

  async #copy(): Promise<void> {
    // A state that a full disk kept from being stored must be stored before a feed continues.
    if (!(await this.#remember())) return
    this.#publishDue()
    const sources = new Set(this.#feeds.map(({ source }) => source))
    for (const source of sources) await this.#copyFrom(source)
  }

  /** A page at a time, for all that lack it: those that are behind catch up, then all go in step and each page is read once. */
  async #copyFrom(source: FeedSource): Promise<void> {
    const feeds = this.#feeds.filter((feed) => feed.source === source)
    for (;;) {
      const now = this.#clock.now()
      const due = feeds.filter(({ feed, tryAgainAt }) => !feed.ended && tryAgainAt <= now)
      if (due.length === 0) return
      const page = await source(furthestBehind(due), PAGE_ITEMS)
      if (page.length === 0) return
      await Promise.all(
        due.map(async (open) => {
          const items = page.filter(({ position }) => position > open.feed.position)
          if (items.length > 0) await this.#attempt(open, () => open.feed.take(items))
        }),
      )
      if (!(await this.#remember())) return
      this.#publishDue()
    }
  }

  /** In the background: an object store that is busy does not delay the crawl or other feeds. */
  #publishDue(): void {
    const now = this.#clock.now()
    for (const open of this.#feeds) if (open.publishAgainAt <= now) void this.#publish(open)
  }

  async #publishAll(): Promise<void> {
    const publishLast = async (open: FeedInUse) => {
      // The one under way may have begun before the last files were complete.
      await open.publishing
      await this.#publish(open)
    }
    await Promise.all(this.#feeds.map(publishLast))
    await this.#remember()
  }

  /** Never rejects. While one is under way, another is the same. */
  #publish(open: FeedInUse): Promise<void> {
    open.publishing ??= this.#publishOnce(open).finally(() => {
      open.publishing = undefined
    })
    return open.publishing
  }

  async #publishOnce(open: FeedInUse): Promise<void> {
    const { target, feed } = open
    try {
      await feed.publish?.()
      if (open.publishError !== undefined)
        this.#notify({ target, kind: 'recovered', message: `${target}: writes again` })
      open.publishError = undefined
    } catch (cause) {
      const error = asError(cause)
      if (open.publishError?.message !== error.message) {
        const message = `cannot put files to ${target}: ${error.message}; they are kept, and put when it works again or by the next run`
        this.#notify({ target, kind: 'failed', message })
      }
      open.publishError = error
      open.publishAgainAt = this.#clock.now() + TRY_AGAIN_MS
    }
  }

  /** One feed that fails does not disturb the others. It is tried again after a while. */
  async #attempt(open: FeedInUse, work: () => Promise<void>): Promise<void> {
    const { target } = open
    try {
      await work()
      if (open.error !== undefined)
        this.#notify({ target, kind: 'recovered', message: `${target}: writes again` })
      open.error = undefined
    } catch (cause) {
      const error = asError(cause)
      if (open.error?.message !== error.message) {
        const message = `cannot write items to ${target}: ${error.message}; they are kept, and written when it works again or by the next run`
        this.#notify({ target, kind: 'failed', message })
      }
      open.error = error
      open.tryAgainAt = this.#clock.now() + TRY_AGAIN_MS
    }
  }

  /** Whether it could be. */
  async #remember(): Promise<boolean> {
    for (const { key, feed } of this.#feeds) if (feed.state !== undefined) this.#states.set(key, feed.state)
    try {
      await this.#states.save()
      this.#unsaved = undefined
    } catch (cause) {
      const error = asError(cause)
      if (this.#unsaved?.message !== error.message) {
        const message = `cannot store the state of the exports: ${error.message}; they continue when it works again, or with the next run`
        this.#notify({ target: 'feeds.json', kind: 'failed', message })
      }
      this.#unsaved = error
    }
    return this.#unsaved === undefined
  }
}

interface FeedInUse extends OpenFeed {
  /** What its last attempt failed with. */
  error: Error | undefined
  /** Ms since the epoch. */
  tryAgainAt: number
  publishing: Promise<void> | undefined
  /** What its last publication failed with. */
  publishError: Error | undefined
  /** Ms since the epoch. */
  publishAgainAt: number
}

const TRY_AGAIN_MS = 10_000

/** The position of the feed that has copied the least. */
function furthestBehind(feeds: readonly FeedInUse[]): number {
  return feeds.reduce((least, { feed }) => Math.min(least, feed.position), Number.POSITIVE_INFINITY)
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}
