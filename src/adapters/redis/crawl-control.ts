import { randomBytes } from 'node:crypto'
import type { FleetControl, FleetState, HostDelayChange } from '../../domain/frontier/fleet.ts'
import type { Job } from './job.ts'
import { type KeyGroup, namesOf } from './keys.ts'
import { SCRIPTS } from './redis-scripts.ts'

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
  readonly #job: Job

  constructor(job: Job) {
    this.#job = job
  }

  async setState(state: FleetState | undefined): Promise<FleetState | undefined> {
    const before = await this.#job.run(SCRIPTS.setState, {}, [state ?? ''])
    return before === 'paused' || before === 'draining' ? before : undefined
  }

  async setHostDelay(host: string, delayMs: number | null): Promise<HostDelayChange> {
    // Random: a Redis that lost its latest writes must not use the version of another change again.
    const version = randomBytes(6).toString('hex')
    const delay = delayMs === null ? '' : String(Math.ceil(delayMs))
    const args = [host, delay, String(MAX_DELAYED_HOSTS), version] as const
    return (await this.#job.run(SCRIPTS.setHostDelay, {}, args)) as HostDelayChange
  }

  /**
   * Removes the queue, the seen set (also one that is shared with Python's workers, but not that of another crawl), what failed and all
   * counters. The throttle state of hosts is kept, so that a new crawl respects the delays. If the process is killed half way, the crawl is
   * no longer visible; the next process that clears it or joins it removes the remaining keys.
   */
  async clear(options: ClearOptions = {}): Promise<Cleared> {
    const cleared = await beginClearing(this.#job, options)
    if (cleared.ok) await finishClearing(this.#job)
    return cleared
  }
}

/** Removes the single keys of a crawl; `finishClearing` removes the families. */
export async function beginClearing(
  job: Job,
  { force = false, items = false, starts }: ClearOptions = {},
): Promise<Cleared> {
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
    ...keys,
  ])
  const [status, workers] = reply as [string, number?]
  return status === 'busy' ? { ok: false, workers: workers ?? 0 } : { ok: true }
}

/** Removes what is left of a crawl that is being cleared; of any other, nothing. */
export async function finishClearing(job: Job): Promise<void> {
  let cursor = '0'
  do {
    cursor = String(await job.run(SCRIPTS.clearSome, {}, [cursor, SOME, ...namesOf('crawl').families]))
  } while (cursor !== '0')
}

/** Hosts with a delay set by an operator: every worker gets all of them after each change. */
export const MAX_DELAYED_HOSTS = 1_000

/** Keys that one script looks at: Redis does nothing else meanwhile. */
const SOME = '1000'
