import type { Clock } from '../../base/clock.ts'

export interface PageLoadLimits {
  /** Maximum time in which no request of the page waits for its response. */
  readonly timeoutMs: number
  /** Maximum time in which requests wait for their responses: for the delays of hosts, above all. */
  readonly maxWaitMs: number
  /** The page is complete when it has been without requests for this long. */
  readonly quietMs: number
}

/** How the load of a page ended. `left`: a script sent the browser to another address. */
export type LoadEnd =
  | { readonly kind: 'quiet' | 'timeout' | 'crashed' | 'interrupted' }
  | { readonly kind: 'left'; readonly to: string }

/** Decides when a page is complete: it is loaded, and has had no requests for a while; or its time is over. */
export class PageLoad {
  readonly #clock: Clock
  readonly #limits: PageLoadLimits
  readonly #settle: () => Promise<unknown>
  readonly #end = Promise.withResolvers<LoadEnd>()
  /** Grows with each request: whether there was one is known afterwards. */
  #changes = 0
  #pending = 0
  #isLoaded: boolean
  #isOver = false
  #leftMs: number
  #waitLeftMs: number
  #since: number
  #cancelLimit = (): void => {}
  #cancelQuiet = (): void => {}

  /**
   * @param settle resolves when the page has processed the responses that it has: on a busy machine that takes longer than `quietMs`
   * @param isLoaded the document is complete already: only requests are waited for
   */
  constructor(clock: Clock, limits: PageLoadLimits, settle: () => Promise<unknown>, isLoaded = false) {
    this.#clock = clock
    this.#settle = settle
    this.#limits = limits
    this.#isLoaded = isLoaded
    this.#leftMs = limits.timeoutMs
    this.#waitLeftMs = limits.maxWaitMs
    this.#since = clock.now()
    this.#setTimers()
  }

  get ended(): Promise<LoadEnd> {
    return this.#end.promise
  }

  loaded(): void {
    this.#isLoaded = true
    this.#setTimers()
  }

  requestStarted(): void {
    this.#count(1)
  }

  requestEnded(): void {
    this.#count(-1)
  }

  /** Ends it; the first end counts. */
  end(end: LoadEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelLimit()
    this.#cancelQuiet()
    this.#end.resolve(end)
  }

  #count(change: 1 | -1): void {
    const now = this.#clock.now()
    if (this.#pending > 0) this.#waitLeftMs -= now - this.#since
    else this.#leftMs -= now - this.#since
    this.#since = now
    this.#changes++
    this.#pending += change
    this.#setTimers()
  }

  #setTimers(): void {
    this.#cancelLimit()
    this.#cancelQuiet()
    if (this.#isOver) return
    const left = this.#pending > 0 ? this.#waitLeftMs : this.#leftMs
    const elapsed = this.#clock.now() - this.#since
    this.#cancelLimit = this.#clock.after(Math.max(0, left - elapsed), () => this.end({ kind: 'timeout' }))
    if (this.#isLoaded && this.#pending === 0)
      this.#cancelQuiet = this.#clock.after(this.#limits.quietMs, () => void this.#quiet())
  }

  async #quiet(): Promise<void> {
    const changes = this.#changes
    // If it fails, the page has crashed or its time will be over.
    await this.#settle().then(
      () => {
        if (this.#changes === changes) this.end({ kind: 'quiet' })
      },
      () => {},
    )
  }
}
