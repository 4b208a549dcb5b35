import type { CrawlRequest } from '../src/domain/frontier/crawl-request.ts'
import type { FrontierOrder, LeaseOptions, Pending } from '../src/domain/frontier/frontier.ts'
import { Heap } from './heap.ts'

export interface WaitingRequest {
  readonly request: CrawlRequest
  /** Of its line. */
  readonly key: string
  /** Of arrival. */
  readonly order: number
  readonly attempt: number
  /** Ms since the epoch. */
  readonly due: number
}

/** The pending requests of one host, best first. */
export interface Line {
  readonly key: string
  readonly ready: Heap<WaitingRequest>
  /** Number of leased requests. */
  out: number
}

/** The requests of all hosts, in one of a frontier's orders. Taking n of them costs O(hosts + n log n), however many wait. */
export class WaitingLines {
  readonly #order: FrontierOrder
  readonly #lines = new Map<string, Line>()
  readonly #delayed = new Heap<WaitingRequest>((a, b) => a.due < b.due)
  #ready = 0

  constructor(order: FrontierOrder) {
    this.#order = order
  }

  add(waiting: WaitingRequest): void {
    this.#delayed.push(waiting)
  }

  /** The next requests and their lines. The caller counts `out` down when one is settled. */
  *take({
    requests,
    perHost,
    now,
  }: LeaseOptions): Generator<{ readonly waiting: WaitingRequest; readonly line: Line }> {
    this.#wake(now)
    const open = new Heap(LINE_ORDERS[this.#order])
    for (const line of this.#lines.values()) {
      if (line.ready.size === 0 && line.out === 0) this.#lines.delete(line.key)
      else if (line.ready.size > 0 && line.out < perHost) open.push(line)
    }
    for (let taken = 0; taken < requests; taken++) {
      const line = open.pop()
      const waiting = line?.ready.pop()
      if (line === undefined || waiting === undefined) return
      line.out++
      this.#ready--
      if (line.ready.size > 0 && line.out < perHost) open.push(line)
      yield { waiting, line }
    }
  }

  /** `LeasedRequest.rank`. */
  rankOf({ request, order }: WaitingRequest): number {
    if (this.#order === 'lifo') return order
    return this.#order === 'fifo' ? -order : (request.priority ?? 0)
  }

  counts(now: number): Pick<Pending, 'ready' | 'delayed' | 'nextDueAt'> {
    this.#wake(now)
    const { first } = this.#delayed
    return {
      ready: this.#ready,
      delayed: this.#delayed.size,
      ...(first !== undefined && { nextDueAt: first.due }),
    }
  }

  #wake(now: number): void {
    while ((this.#delayed.first?.due ?? Number.POSITIVE_INFINITY) <= now) {
      const waiting = this.#delayed.pop()
      if (waiting !== undefined) this.#lineOf(waiting.key).ready.push(waiting)
      this.#ready++
    }
  }

  #lineOf(key: string): Line {
    let line = this.#lines.get(key)
    if (line === undefined) {
      line = { key, ready: new Heap(REQUEST_ORDERS[this.#order]), out: 0 }
      this.#lines.set(key, line)
    }
    return line
  }
}

function isOlder(a: WaitingRequest, b: WaitingRequest): boolean {
  return a.order < b.order
}

function isMoreUrgent(a: WaitingRequest, b: WaitingRequest): boolean {
  const difference = (a.request.priority ?? 0) - (b.request.priority ?? 0)
  return difference === 0 ? isOlder(a, b) : difference > 0
}

/** Which request goes first within a line. */
const REQUEST_ORDERS = {
  hosts: isMoreUrgent,
  priority: isMoreUrgent,
  fifo: isOlder,
  lifo: (a, b) => isOlder(b, a),
} as const satisfies Record<FrontierOrder, typeof isOlder>

/** Which line goes first: in an order over all requests, the one whose first request does. */
const LINE_ORDERS = {
  hosts: (a, b) => (a.out === b.out ? firstIsBefore(a, b, isOlder) : a.out < b.out),
  priority: (a, b) => firstIsBefore(a, b, REQUEST_ORDERS.priority),
  fifo: (a, b) => firstIsBefore(a, b, REQUEST_ORDERS.fifo),
  lifo: (a, b) => firstIsBefore(a, b, REQUEST_ORDERS.lifo),
} as const satisfies Record<FrontierOrder, (a: Line, b: Line) => boolean>

function firstIsBefore(a: Line, b: Line, isBefore: typeof isOlder): boolean {
  return a.ready.first !== undefined && b.ready.first !== undefined && isBefore(a.ready.first, b.ready.first)
}
