import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FetchList } from './fetch-list.ts'
import type { TaskEntry } from './fetch-task.ts'

/** Adds an entry of a list to the host queues. */
export type TakeIn = (list: FetchList, entry: TaskEntry) => void | Promise<void>

/**
 * The producer: reads fetch lists as fast as tasks end and no faster, so that at most `depth` URLs are in memory however long
 * the lists are. Of several lists the one that waited longest continues first.
 */
export class FetchFeeder {
  readonly #depth: number
  readonly #takeIn: TakeIn
  readonly #waiting: Array<() => void> = []
  readonly #onLow: Array<() => void> = []
  #underWay = 0
  #reading = 0
  #stopped = false
  #unlimited = false

  constructor(depth: number, takeIn: TakeIn) {
    this.#depth = depth
    this.#takeIn = takeIn
  }

  /** Resolves when every list is read completely and half of the depth is free: the next list may join. */
  runningLow(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLow.push(resolve)
      this.#callIfLow()
    })
  }

  /** Reads a list to its end; `false` if it was stopped before, or has more URLs than it may fetch. */
  async feed(list: FetchList): Promise<boolean> {
    this.#reading++
    let urls = 0
    try {
      for await (const batch of list.entries) {
        await list.room()
        for (const [i, entry] of batch.entries()) {
          // Responses arrive meanwhile, and must not wait until thousands of entries are queued.
          if (i > 0 && i % TAKEN_AT_ONCE === 0) await nextTurn()
          if (this.#underWay >= this.#depth && !this.#unlimited) await this.#room()
          if (this.#stopped || list.closed || urls++ >= list.maxUrls) return false
          await this.#enter(list, entry)
        }
      }
      return !this.#stopped
    } finally {
      this.#reading--
      this.#callIfLow()
    }
  }

  /** To be called for each task, from a list or from a redirect. */
  entered(): void {
    this.#underWay++
  }

  left(): void {
    this.#underWay--
    if (this.#underWay < this.#depth) this.#waiting.shift()?.()
    this.#callIfLow()
  }

  /** Stops reading. */
  stop(): void {
    this.#stopped = true
    this.readOn()
  }

  /** Reads the lists to their ends: the remaining URLs only get rows, which needs no room in the queues. */
  readOn(): void {
    this.#unlimited = true
    for (const resume of this.#waiting.splice(0)) resume()
  }

  #enter(list: FetchList, entry: TaskEntry): void | Promise<void> {
    if (!list.listHop(entry.url)) return this.#takeIn(list, entry)
  }

  #room(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #callIfLow(): void {
    if (this.#reading === 0 && this.#underWay <= this.#depth / 2)
      for (const call of this.#onLow.splice(0)) call()
  }
}

const TAKEN_AT_ONCE = 500
