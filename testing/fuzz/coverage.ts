import { type Profiler, Session } from 'node:inspector'

/** Which blocks of the code under src/ have run, and about how often, as V8 counts them. */
export class Coverage {
  readonly #session = new Session()
  readonly #seen = new Set<string>()

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** The number of blocks seen, each counted once per order of magnitude. */
  get size(): number {
    return this.#seen.size
  }

  /** Whether code ran since the last call that had not run before, or not so often. `remember: false` leaves it unseen. */
  takeNew({ remember }: { readonly remember: boolean }): boolean {
    let isNew = false
    for (const block of this.#blocks()) {
      if (this.#seen.has(block)) continue
      isNew = true
      if (!remember) return true
      this.#seen.add(block)
    }
    return isNew
  }

  close(): void {
    this.#session.disconnect()
  }

  *#blocks(): Generator<string> {
    for (const { url, scriptId, functions } of this.#take()) {
      if (!url.includes('/src/')) continue
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges)
          if (count > 0) yield `${scriptId}:${startOffset}:${endOffset}:${Math.floor(Math.log10(count))}`
      }
    }
  }

  /** Reads and resets the counters. On the own thread, the inspector calls back at once. */
  #take(): Profiler.ScriptCoverage[] {
    let scripts: Profiler.ScriptCoverage[] = []
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error
      scripts = taken.result
    })
    return scripts
  }
}
