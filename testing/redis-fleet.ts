import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts'
import { RedisFrontier, type RedisFrontierOptions } from '../src/adapters/redis/redis-frontier.ts'
import type { Clock } from '../src/base/clock.ts'
import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'
import type { LeasedRequest } from '../src/domain/frontier/frontier.ts'
import type { RequestEnd, Settlement } from '../src/domain/frontier/settlement.ts'
import type { FakeClock } from './fake-clock.ts'

/** A worker of a fleet, in the process of a test: it can be suspended and killed. */
export class TestWorker {
  readonly frontier: RedisFrontier
  readonly #clock: StoppableClock

  constructor(
    connection: RedisConnection,
    clock: FakeClock,
    crawl: string,
    options: RedisFrontierOptions = {},
  ) {
    this.#clock = new StoppableClock(clock)
    this.frontier = new RedisFrontier(connection, this.#clock, crawl, { wallClock: clock, ...options })
  }

  get isRunning(): boolean {
    return !this.#clock.stopped
  }

  /** Suspends the worker, as SIGSTOP does; without `resume`, as SIGKILL does. */
  stop(): void {
    this.#clock.stopped = true
  }

  /** Runs the timers that expired in the meantime. */
  resume(): void {
    this.#clock.resume()
  }
}

/** Advances the clock of a fleet, in steps short enough for running workers to renew their leases. */
export async function passTime(clock: FakeClock, ms: number, workers: readonly TestWorker[]): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(left, STEP_MS))
    for (const worker of workers) if (worker.isRunning) await worker.frontier.renew()
  }
}

const STEP_MS = 4_000

/** Numbered pages on some hosts that link to one another; each page is one item. */
export class LinkedPages {
  readonly #hosts: number
  readonly #pages: number
  readonly #links: (page: number) => readonly number[]

  /** @param links page numbers, taken modulo `pages` */
  constructor(hosts: number, pages: number, links: (page: number) => readonly number[]) {
    this.#hosts = hosts
    this.#pages = pages
    this.#links = links
  }

  request(page: number): CrawlRequest {
    return requestFor(this.#urlOf(page))
  }

  /** The sorted URLs of these pages and of all pages that they lead to. */
  reachable(pages: Iterable<number>): string[] {
    const all = new Set(Array.from(pages, (page) => this.#urlOf(page)))
    for (const url of all) for (const link of this.#linksOf(url)) all.add(link)
    return [...all].sort()
  }

  /** A page that is done has its links and its item. */
  settlement({ id, request: { url } }: LeasedRequest, end: RequestEnd): Settlement {
    const isDone = end.kind === 'done'
    return {
      id,
      end,
      requests: isDone ? this.#linksOf(url).map(requestFor) : [],
      items: isDone ? [{ url }] : [],
      rejected: [],
    }
  }

  #urlOf(page: number): string {
    return `http://h${page % this.#hosts}.test/${page}`
  }

  #linksOf(url: string): string[] {
    const page = Number(url.slice(url.lastIndexOf('/') + 1))
    return this.#links(page).map((next) => this.#urlOf(next % this.#pages))
  }
}

function requestFor(url: string): CrawlRequest {
  return { url, handler: 'parse', depth: 0 }
}

/** The sorted URLs of all items of a crawl. */
export async function itemUrls({ items }: RedisFrontier): Promise<string[]> {
  return (await items.items(0, 10_000)).map(({ item }) => String(item['url'])).sort()
}

class StoppableClock implements Clock {
  stopped = false
  readonly #base: Clock
  #missed: Array<() => void> = []

  constructor(base: Clock) {
    this.#base = base
  }

  now(): number {
    return this.#base.now()
  }

  after(ms: number, run: () => void): () => void {
    return this.#base.after(ms, () => {
      if (this.stopped) this.#missed.push(run)
      else run()
    })
  }

  resume(): void {
    this.stopped = false
    const missed = this.#missed
    this.#missed = []
    for (const run of missed) run()
  }
}
