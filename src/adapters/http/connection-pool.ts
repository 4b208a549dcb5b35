import type { Dialer, DialTarget } from './dialer.ts'
import { Connection, type ConnectionOptions } from './http-connection.ts'
import type { WebProxy } from './proxy.ts'

export interface ConnectionPoolOptions extends ConnectionOptions {
  /** Connections in all, used and idle. */
  readonly maxConnections: number
  /** Connections to one origin. A second one is opened only while the first is busy. */
  readonly maxConnectionsPerOrigin: number
}

interface Slots {
  readonly idle: Connection[]
  lent: number
}

interface RecentUse {
  readonly endedAt: number
  readonly isFollowed: () => boolean
}

interface Waiter {
  readonly origin: string
  readonly target: DialTarget
  /** `undefined`: the pool was closed. */
  readonly grant: (connection: Connection | undefined) => void
}

/**
 * Lends connections, one request each, and keeps those that can be used again. Tens of thousands of origins share a bounded
 * number: for a new one the longest idle connection is closed, and when all are busy the request waits.
 */
export class ConnectionPool {
  readonly #dialer: Dialer
  readonly #options: ConnectionPoolOptions
  /** Connections of each origin, by proxy; lent and idle. */
  readonly #byRoute = new Map<string, Slots>()
  /** All idle ones, the longest idle first. */
  readonly #idle = new Set<Connection>()
  /** Those that were used within the last `RECENT_MS`, in the order of their use. */
  readonly #recent = new Map<Connection, RecentUse>()
  readonly #lent = new Set<Connection>()
  readonly #waiting: Waiter[] = []
  #closed = false

  constructor(dialer: Dialer, options: ConnectionPoolOptions) {
    this.#dialer = dialer
    this.#options = options
  }

  /** Connections lent and idle. */
  get size(): number {
    return this.#lent.size + this.#idle.size
  }

  /** A connection to `origin`, to be returned with exactly one `giveBack()`; `undefined` when `signal` ended the wait or the pool is closed. */
  async borrow(origin: string, target: DialTarget, signal?: AbortSignal): Promise<Connection | undefined> {
    if (this.#closed || signal?.aborted) return undefined
    const connection = this.#tryBorrow(origin, target)
    if (connection !== undefined) return connection
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        resolve(undefined)
      }
      const grant = (granted: Connection | undefined): void => {
        signal?.removeEventListener('abort', onAbort)
        resolve(granted)
      }
      const waiter: Waiter = { origin, target, grant }
      this.#waiting.push(waiter)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /**
   * @param reusable Whether the response was read to its end, so that the next one can follow.
   * @param isFollowed Whether a request for the connection waits. Called after `RECENT_MS`; if none does, the connection is closed then.
   */
  giveBack(connection: Connection, reusable: boolean, isFollowed: () => boolean = () => true): void {
    this.#closeUnfollowed()
    if (!this.#lent.delete(connection)) return
    const slots = this.#byRoute.get(connection.route)
    // Closed meanwhile: everything was destroyed.
    if (slots === undefined) return
    slots.lent--
    if (reusable && connection.isOpen) {
      connection.becameIdle()
      slots.idle.push(connection)
      this.#idle.add(connection)
      this.#recent.set(connection, { endedAt: this.#options.clock.now(), isFollowed })
    } else {
      connection.destroy()
      this.#tidy(connection.route, slots)
    }
    this.#serveOneWaiter()
  }

  /** Closes the idle connections to `origin`, so that the next one borrowed is new. */
  discardIdle(origin: string, proxy?: WebProxy): void {
    for (const connection of [...(this.#byRoute.get(routeOf(origin, proxy))?.idle ?? [])])
      this.#drop(connection)
  }

  /** Closes everything at once; requests under way end as aborted. */
  destroy(): void {
    this.#closed = true
    for (const waiter of this.#waiting.splice(0)) waiter.grant(undefined)
    for (const connection of [...this.#lent, ...this.#idle]) connection.destroy()
    this.#idle.clear()
    this.#recent.clear()
    this.#byRoute.clear()
  }

  #tryBorrow(origin: string, target: DialTarget): Connection | undefined {
    const route = routeOf(origin, target.proxy)
    const slots = this.#byRoute.get(route) ?? { idle: [], lent: 0 }
    // The one used last is the least likely to have been closed meanwhile.
    let connection = slots.idle.pop()
    if (connection !== undefined) {
      this.#idle.delete(connection)
      this.#recent.delete(connection)
    } else if (slots.lent < this.#options.maxConnectionsPerOrigin && this.#makeRoom())
      connection = new Connection(origin, route, target, this.#dialer, this.#options, (closed) =>
        this.#drop(closed),
      )
    if (connection === undefined) return undefined
    slots.lent++
    this.#lent.add(connection)
    this.#byRoute.set(route, slots)
    connection.begin()
    return connection
  }

  /** Whether one more connection may be opened, if need be in place of an idle one. */
  #makeRoom(): boolean {
    if (this.size < this.#options.maxConnections) return true
    for (const longestIdle of this.#idle) {
      this.#drop(longestIdle)
      return true
    }
    return false
  }

  /** A crawl of many hosts returns to most of them long after a connection would be closed, and may have thousands of idle ones. */
  #closeUnfollowed(): void {
    const until = this.#options.clock.now() - RECENT_MS
    for (const [connection, { endedAt, isFollowed }] of this.#recent) {
      if (endedAt > until) return
      this.#recent.delete(connection)
      if (!isFollowed()) this.#drop(connection)
    }
  }

  /** Forgets an idle connection that was closed. A borrowed one is returned by its borrower. */
  #drop(connection: Connection): void {
    if (!this.#idle.delete(connection)) return
    this.#recent.delete(connection)
    connection.destroy()
    const slots = this.#byRoute.get(connection.route)
    if (slots === undefined) return
    slots.idle.splice(slots.idle.indexOf(connection), 1)
    this.#tidy(connection.route, slots)
  }

  /** A connection given back makes room for one; the first waiting request that can use it gets it. */
  #serveOneWaiter(): void {
    for (const [i, waiter] of this.#waiting.entries()) {
      const connection = this.#tryBorrow(waiter.origin, waiter.target)
      if (connection === undefined) continue
      this.#waiting.splice(i, 1)
      waiter.grant(connection)
      return
    }
  }

  #tidy(route: string, { idle, lent }: Slots): void {
    if (lent === 0 && idle.length === 0) this.#byRoute.delete(route)
  }
}

/** A chain of pages, each found on the one before, continues within this time. */
const RECENT_MS = 2_000

/** A connection through a proxy cannot be used for requests through another one. */
function routeOf(origin: string, proxy: WebProxy | undefined): string {
  return proxy === undefined ? origin : `${origin} ${proxy.user?.name ?? ''}@${proxy.label}`
}
