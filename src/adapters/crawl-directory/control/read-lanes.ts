/** How much a method reads: `scan` may read whole tables or run the SQL of a user. */
export type ReadLane = 'lookup' | 'scan'

/**
 * Limits the queries that run at the same time for readers of a crawl. Node.js has four threads for all files and databases of the process:
 * at least one stays free for the crawl, and a slow scan does not make a lookup wait.
 */
export class ReadLanes {
  readonly #free: Record<ReadLane, number> = { lookup: 2, scan: 1 }
  readonly #waiting: Record<ReadLane, Array<() => void>> = { lookup: [], scan: [] }

  /** Waits for its turn, in the order of the calls. @throws the reason of `signal` */
  async enter(lane: ReadLane, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free[lane] > 0) this.#free[lane]--
    else await this.#turn(lane, signal)
    let isLeft = false
    return {
      [Symbol.dispose]: () => {
        if (isLeft) return
        isLeft = true
        const next = this.#waiting[lane].shift()
        if (next === undefined) this.#free[lane]++
        else next()
      },
    }
  }

  #turn(lane: ReadLane, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting[lane]
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(take), 1)
        reject(signal.reason)
      }
      const take = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
      waiting.push(take)
    })
  }
}
