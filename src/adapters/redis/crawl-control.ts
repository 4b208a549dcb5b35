import type { FleetState } from '../../domain/frontier/fleet.ts'
import type { Job } from './job.ts'
import { BEGIN_CLEARING, CLEAR_SOME } from './scripts/clear.ts'
import { SET_STATE } from './scripts/set-state.ts'

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
export class CrawlControl {
  readonly #job: Job

  constructor(job: Job) {
    this.#job = job
  }

  /** Returns the state before. @param state `undefined`: neither paused nor draining */
  async setState(state: FleetState | undefined): Promise<FleetState | undefined> {
    const before = await this.#job.run(SET_STATE, {}, [state ?? ''])
    return before === 'paused' || before === 'draining' ? before : undefined
  }

  /**
   * Removes the queue, the seen set (also one that is shared with Python's workers, but not that of another crawl), what failed and all
   * counters. How hosts stand stays: a new crawl asks none of them sooner. A process that is killed half way leaves a crawl that nobody
   * can see; whoever comes next, to clear it again or to work on it, removes the rest.
   */
  async clear({ force = false, items = false, starts }: ClearOptions = {}): Promise<Cleared> {
    const others = [...(items ? [this.#job.keys.items] : []), ...(starts ?? [])]
    const flags = [force ? 'force' : '', items ? 'items' : '', starts === undefined ? '' : 'starts']
    const reply = await this.#job.run(BEGIN_CLEARING, {}, [...flags, ...others])
    const [status, workers] = reply as [string, number?]
    if (status === 'busy') return { ok: false, workers: workers ?? 0 }
    await finishClearing(this.#job)
    return { ok: true }
  }
}

/** Removes what is left of a crawl that is being cleared; of any other, nothing. */
export async function finishClearing(job: Job): Promise<void> {
  let cursor = '0'
  do {
    cursor = String(await job.run(CLEAR_SOME, {}, [cursor, SOME]))
  } while (cursor !== '0')
}

/** Keys that one script looks at: Redis does nothing else meanwhile. */
const SOME = '1000'
