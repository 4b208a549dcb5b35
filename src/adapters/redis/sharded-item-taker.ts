import type { Clock } from '../../base/clock.ts'
import { type ConsumableItems, ItemTaker, type ItemTakerOptions, type TakenItems } from './item-taker.ts'
import { crawlShards } from './job.ts'
import type { RedisConnection } from './redis-connection.ts'
import { randomIdentity } from './worker-session.ts'

/** A consumer of the items of a crawl, however many shards it has. @param clock the same time for all consumers: a `RedisClock` */
export async function openItemTaker(
  connection: RedisConnection,
  clock: Clock,
  crawl: string,
  options: ItemTakerOptions = {},
): Promise<ConsumableItems> {
  const { length: of } = await crawlShards(connection, crawl, options)
  if (of === 1) return new ItemTaker(connection, clock, crawl, options)
  const { name = randomIdentity() } = options
  return new ShardedItemTaker(
    Array.from(
      { length: of },
      (_, number) => new ItemTaker(connection, clock, crawl, { ...options, name, shard: { number, of } }),
    ),
  )
}

/**
 * Takes items from one shard after the other, so that a batch is acknowledged where it is, in one step with what the consumer must remember. What it must
 * remember is numbered, as each shard has the last that it was given.
 */
class ShardedItemTaker implements ConsumableItems {
  readonly #shards: readonly ItemTaker[]
  #next = 0
  #states = 0
  #malformedKey: string

  constructor(shards: readonly ItemTaker[]) {
    this.#shards = shards
    this.#malformedKey = shards[0]?.malformedKey ?? ''
  }

  get name(): string {
    return this.#shards[0]?.name ?? ''
  }

  /** Of the shard in which such values were found last. */
  get malformedKey(): string {
    return this.#malformedKey
  }

  async join(): Promise<string> {
    const states = await Promise.all(this.#shards.map((shard) => shard.join()))
    let latest = ''
    for (const [, number = '0', state = ''] of states.map((text) => /^(\d{1,15}) (.*)$/s.exec(text) ?? [])) {
      if (Number(number) <= this.#states) continue
      this.#states = Number(number)
      latest = state
    }
    return latest
  }

  async take(): Promise<TakenItems> {
    const counts = await Promise.all(this.#shards.map((shard) => shard.count()))
    let malformed = 0
    for (let i = 0; i < this.#shards.length; i++) {
      const number = (this.#next + i) % this.#shards.length
      const shard = this.#shards[number]
      // Other consumers may have all that are counted.
      if (shard === undefined || counts[number] === 0) continue
      const taken = await shard.take()
      if (taken.malformed > 0) this.#malformedKey = shard.malformedKey
      malformed += taken.malformed
      if (taken.items.length === 0) continue
      this.#next = number + 1
      const items = taken.items.map((item) => ({
        ...item,
        position: item.position * this.#shards.length + number,
      }))
      return { items, malformed, acknowledge: (state = '') => taken.acknowledge(this.#numbered(state)) }
    }
    return { items: [], malformed, acknowledge: async () => true }
  }

  async remember(state: string): Promise<void> {
    await this.#shards[0]?.remember(this.#numbered(state))
  }

  async count(): Promise<number> {
    const counts = await Promise.all(this.#shards.map((shard) => shard.count()))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  async leave(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.leave()))
  }

  #numbered(state: string): string {
    return state === '' ? '' : `${++this.#states} ${state}`
  }
}
