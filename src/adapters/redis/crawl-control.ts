import { randomBytes } from 'node:crypto'
import type { FleetControl, FleetState, HostDelayChange } from '../../domain/frontier/fleet.ts'
import type { Job } from './job.ts'
import { type KeyGroup, namesOf } from './keys.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { shardOf } from './shards.ts'

export interface ClearOptions {
  /** Clear it although it has workers; they lose it. @default false */
  readonly force?: boolean
  /** Remove its items, those that were rejected, and the list that they are in. @default false */
  readonly items?: boolean
  /** Keys of start messages that go, with those of them that were taken. @default none: they stay */
  readonly starts?: readonly string[]
}

export type Cleared =
  | { readonly ok: true }
  /** It has workers. */
  | { readonly ok: false; readonly workers: number }

/** What an operator tells all workers of a crawl, those to come included. */
export class CrawlControl implements FleetControl {
  readonly #shards: readonly [Job, ...Job[]]

  /** @param shards the crawl in each of its shards, the home shard first */
  constructor(shards: readonly [Job, ...Job[]]) {
    this.#shards = shards
  }

  async setState(state: FleetState | undefined): Promise<FleetState | undefined> {
    // All workers go by the state of the home shard, so that none sees half of a change.
    const before = await this.#shards[0].run(SCRIPTS.setState, {}, [state ?? ''])
    return before === 'paused' || before === 'draining' ? before : undefined
  }

  async setHostDelay(host: string, delayMs: number | null): Promise<HostDelayChange> {
    // Random: a Redis that lost its latest writes must not use the version of another change again.
    const version = randomBytes(6).toString('hex')
    const delay = delayMs === null ? '' : String(Math.ceil(delayMs))
    const args = [host, delay, String(MAX_DELAYED_HOSTS), version] as const
    const shard = this.#shards[shardOf(host, this.#shards.length)] ?? this.#shards[0]
    return (await shard.run(SCRIPTS.setHostDelay, {}, args)) as HostDelayChange
  }

  /**
   * Removes the queue, the seen set (also one that is shared with Python's workers, but not that of another crawl), what failed and all
   * counters. The throttle state of hosts is kept, so that a new crawl respects the delays. If the process is killed half way, the crawl is
   * no longer visible; the next process that clears it or joins it removes the remaining keys.
   */
  async clear(options: ClearOptions = {}): Promise<Cleared> {
    const [home, ...others] = this.#shards
    const cleared = await beginClearing(home, options)
    if (!cleared.ok) return cleared
    if (options.items === true)
      await Promise.all(others.map((job) => beginClearing(job, { force: true, items: true }, cleared.id)))
    await finishClearing(this.#shards, cleared.id)
    return { ok: true }
  }
}

/** Removes the single keys of a shard; `finishClearing` removes the families. @param id of the clearing. @default a new one */
export async function beginClearing(
  job: Job,
  { force = false, items = false, starts }: ClearOptions = {},
  id: string = randomBytes(6).toString('hex'),
): Promise<{ readonly ok: true; readonly id: string } | { readonly ok: false; readonly workers: number }> {
  const { base } = job.keys
  const keysOf = (group: KeyGroup) => namesOf(group).keys.map((name) => `${base}:${name}`)
  const keys = [
    ...keysOf('crawl'),
    ...(items ? [...keysOf('items'), job.keys.items] : []),
    ...(starts === undefined ? [] : [...keysOf('starts'), ...starts]),
  ]
  const reply = await job.run(SCRIPTS.beginClearing, {}, [
    force ? 'force' : '',
    items ? 'items' : '',
    starts === undefined ? '' : 'starts',
    id,
    ...keys,
  ])
  const [status, value] = reply as [string, number | string]
  return status === 'busy' ? { ok: false, workers: Number(value) } : { ok: true, id: String(value) }
}

/**
 * Removes what is left of a crawl that is being cleared; of any other, nothing. The home shard comes last: as long as it is not finished, no worker
 * can join any shard.
 * @param id of the clearing, as the home shard has it: a shard that was cleared for it is left alone, as it may have new requests by now
 */
export async function finishClearing([home, ...others]: readonly Job[], id: string): Promise<void> {
  await Promise.all(
    others.map(async (job) => {
      await beginClearing(job, { force: true }, id)
      await removeFamilies(job)
    }),
  )
  if (home !== undefined) await removeFamilies(home)
}

async function removeFamilies(job: Job): Promise<void> {
  let cursor = '0'
  do {
    cursor = String(await job.run(SCRIPTS.clearSome, {}, [cursor, SOME, ...namesOf('crawl').families]))
  } while (cursor !== '0')
}

/** Hosts with a delay set by an operator: every worker gets all of them after each change. */
export const MAX_DELAYED_HOSTS = 1_000

/** Keys that one script looks at: Redis does nothing else meanwhile. */
const SOME = '1000'
