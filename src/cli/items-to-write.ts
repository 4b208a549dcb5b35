import { itemsToParquet } from '../adapters/duckdb/items-to-parquet.ts'
import type { FeedFile } from '../adapters/feeds/feed-target.ts'
import { type FeedResult, ItemFeeds } from '../adapters/feeds/item-feeds.ts'
import { openObjectStore } from '../adapters/object-store/open-object-store.ts'
import type { ObjectStoreSettings } from '../adapters/object-store/s3-endpoint.ts'
import { type Clock, nextSecond, wallClock } from '../base/clock.ts'
import { printableLines } from '../base/format-values.ts'
import { Interrupted } from '../base/interrupted.ts'
import type { ItemLog, LoggedItem } from '../domain/frontier/item-log.ts'
import { terminalOutput } from './item-output.ts'
import { sessionEvents } from './redis-flags.ts'
import type { Terminal } from './terminal.ts'

export interface Written {
  readonly items: number
  readonly feeds: readonly FeedResult[]
}

export interface WriteOptions {
  readonly rejected: boolean
  readonly objectStore: ObjectStoreSettings
}

/** Options to wait for more items. */
export interface Following {
  readonly clock: Clock
  isOver(): Promise<boolean>
}

/** Copies the items of a crawl. @throws ConfigurationError, Interrupted */
export async function writeItems(
  items: ItemLog,
  targets: readonly FeedFile[],
  { rejected, objectStore }: WriteOptions,
  terminal: Terminal,
  following: Following | undefined,
): Promise<Written> {
  const { interrupted } = terminal
  const { log } = sessionEvents(terminal)
  const first = await (rejected ? items.rejected(0, 1) : items.items(0, 1))
  // Without items, no file is created.
  if (first.length === 0 && following === undefined) return { items: 0, feeds: [] }
  // With --follow, Ctrl-C is the normal end.
  const replayed = new ReplayedLog(items, following === undefined ? interrupted : undefined)
  const feeds = await ItemFeeds.open(replayed, targets, {
    clock: wallClock,
    directory: undefined,
    output: terminalOutput(terminal),
    writeTable: itemsToParquet,
    openStore: (url) => openObjectStore(url, objectStore, { log }),
    onNotice: ({ message }) => terminal.err(`${printableLines(message)}\n`),
  })
  replayed.begin()
  if (following !== undefined) await followItems(feeds, following, interrupted)
  const results = await feeds.close()
  return { items: replayed.count, feeds: results }
}

async function followItems(
  feeds: ItemFeeds,
  { clock, isOver }: Following,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !(await isOver())) {
    await feeds.follow()
    await nextSecond(clock, signal)
  }
}

/** A log whose items all count as new after `begin`, because standard output gets only new ones. Counts them. */
class ReplayedLog implements ItemLog {
  readonly #log: ItemLog
  readonly #signal: AbortSignal | undefined
  #hasBegun = false
  #end = 0
  count = 0

  constructor(log: ItemLog, signal: AbortSignal | undefined) {
    this.#log = log
    this.#signal = signal
  }

  begin(): void {
    this.#hasBegun = true
  }

  items(position: number, limit: number) {
    return this.#read(() => this.#log.items(position, limit))
  }

  rejected(position: number, limit: number) {
    return this.#read(() => this.#log.rejected(position, limit))
  }

  async #read<Item extends LoggedItem>(read: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
    if (!this.#hasBegun) return []
    if (this.#signal?.aborted === true) throw new Interrupted('interrupted: the output is incomplete')
    const page = await read()
    // Some items are read more than once.
    this.count += page.filter(({ position }) => position > this.#end).length
    this.#end = Math.max(this.#end, page.at(-1)?.position ?? 0)
    return page
  }
}
