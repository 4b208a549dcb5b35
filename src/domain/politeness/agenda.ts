import { grown, TimeHeap } from './time-heap.ts'

/**
 * A priority queue of host indexes by time, earliest first, like TimeHeap, but most operations take constant time.
 *
 * Hosts with equal delays become due in the order in which their delays started, so most times arrive in ascending order. They are
 * appended to lanes: linked lists in ascending order of time. Times that fit at the end of no lane go into a heap. With a million hosts an
 * operation on a heap touches memory in many places, and one on a lane only at its two ends.
 *
 *   lane 0   12:00:01 - 12:00:01 - 12:00:02          delays of one second
 *   lane 1   12:00:09 - 12:00:10                     Crawl-delays of ten seconds
 *   strays   (heap) 12:00:05, 12:03:20               Retry-After times, times of an earlier process
 */
export class Agenda {
  readonly #strays = new TimeHeap()
  readonly #heads = new Int32Array(LANES).fill(NONE)
  readonly #tails = new Int32Array(LANES).fill(NONE)
  // The times of the heads and tails. Those of an empty lane: it is never first, and any time can be appended.
  readonly #headTimes = new Float64Array(LANES).fill(Number.POSITIVE_INFINITY)
  readonly #tailTimes = new Float64Array(LANES).fill(Number.NEGATIVE_INFINITY)
  readonly #rows: AgendaRows
  /** The lane number of the heap in the rows; the lanes have the numbers after it. */
  readonly #strayLane: number
  #inLanes = 0

  /** A host is in at most one of the agendas with the same `rows`: `set` removes it from the others. */
  constructor(rows = new AgendaRows()) {
    this.#rows = rows
    this.#strayLane = rows.assignLanes(1 + LANES, this)
  }

  get size(): number {
    return this.#inLanes + this.#strays.size
  }

  /** The earliest time; `Infinity` if empty. */
  get earliest(): number {
    return Math.min(this.#strays.earliest, this.#headTimes[this.#firstLane()] as number)
  }

  /** The host with the earliest time; `undefined` if empty. */
  get first(): number | undefined {
    const lane = this.#firstLane()
    const time = this.#headTimes[lane] as number
    return time < this.#strays.earliest ? this.#heads[lane] : this.#strays.first
  }

  /** The time of `host`; `undefined` if it is not in this agenda. */
  timeOf(host: number): number | undefined {
    return this.#rows.ownerOf(host) === this ? this.#rows.times[host] : undefined
  }

  /** Adds `host`, or changes its time. */
  set(host: number, time: number): void {
    if (this.timeOf(host) === time) return
    this.#rows.delete(host)
    this.#rows.makeRoomFor(host)
    const lane = this.#laneFor(time)
    this.#rows.times[host] = time
    this.#rows.links[host * ROW + LANE] = this.#strayLane + 1 + lane
    if (lane === NONE) this.#strays.set(host, time)
    else this.#append(lane, host, time)
  }

  /** Removes `host`, if it is in this agenda. */
  delete(host: number): void {
    if (this.#rows.ownerOf(host) !== this) return
    const { links } = this.#rows
    const lane = (links[host * ROW + LANE] as number) - this.#strayLane - 1
    if (lane === NONE) this.#strays.delete(host)
    else this.#unlink(lane, host)
    links[host * ROW + LANE] = 0
  }

  /** The number of hosts with a time of at most `time`, in time proportional to that number. */
  countUntil(time: number): number {
    const { times, links } = this.#rows
    let count = this.#strays.countUntil(time)
    for (const head of this.#heads)
      for (let host = head; host !== NONE && (times[host] as number) <= time; count++)
        host = links[host * ROW + AFTER] as number
    return count
  }

  #firstLane(): number {
    let first = 0
    for (let lane = 1; lane < LANES; lane++)
      if ((this.#headTimes[lane] as number) < (this.#headTimes[first] as number)) first = lane
    return first
  }

  /** The lane whose last time is closest before `time`, so that each length of delay gets its own lane; `NONE` if there is none. */
  #laneFor(time: number): number {
    let best = NONE
    let bestTime = Number.NaN
    for (let lane = 0; lane < LANES; lane++) {
      const tailTime = this.#tailTimes[lane] as number
      if (tailTime <= time && !(tailTime <= bestTime)) {
        best = lane
        bestTime = tailTime
      }
    }
    return best
  }

  #append(lane: number, host: number, time: number): void {
    const { links } = this.#rows
    const tail = this.#tails[lane] as number
    if (tail !== NONE) links[tail * ROW + AFTER] = host
    else {
      this.#heads[lane] = host
      this.#headTimes[lane] = time
    }
    this.#tails[lane] = host
    this.#tailTimes[lane] = time
    links[host * ROW + BEFORE] = tail
    links[host * ROW + AFTER] = NONE
    this.#inLanes++
  }

  #unlink(lane: number, host: number): void {
    const { times, links } = this.#rows
    const before = links[host * ROW + BEFORE] as number
    const after = links[host * ROW + AFTER] as number
    if (before !== NONE) links[before * ROW + AFTER] = after
    else {
      this.#heads[lane] = after
      this.#headTimes[lane] = after === NONE ? Number.POSITIVE_INFINITY : (times[after] as number)
    }
    if (after !== NONE) links[after * ROW + BEFORE] = before
    else {
      this.#tails[lane] = before
      this.#tailTimes[lane] = before === NONE ? Number.NEGATIVE_INFINITY : (times[before] as number)
    }
    this.#inLanes--
  }
}

const LANES = 8
const NONE = -1

/**
 * The agenda, time and neighbours of each host. Agendas that share these rows hold a host at most once in total, and finding the agenda of
 * a host takes one memory access instead of one per agenda.
 */
export class AgendaRows {
  /** By host index. */
  times = new Float64Array(FIRST_CAPACITY)
  /** By host index times ROW, plus LANE, AFTER or BEFORE. */
  links = new Int32Array(FIRST_CAPACITY * ROW)
  readonly #owners: Array<Holder | undefined> = [undefined]

  /** Reserves `count` consecutive lane numbers for a new agenda and returns the first. 0 means: in no lane. */
  assignLanes(count: number, owner: Holder): number {
    const first = this.#owners.length
    for (let i = 0; i < count; i++) this.#owners.push(owner)
    return first
  }

  /** The agenda of `host`; `undefined` if it is in none. */
  ownerOf(host: number): Holder | undefined {
    return this.#owners[this.links[host * ROW + LANE] ?? 0]
  }

  /** Removes `host` from its agenda, if it is in one. */
  delete(host: number): void {
    this.ownerOf(host)?.delete(host)
  }

  makeRoomFor(host: number): void {
    if (host < this.times.length) return
    this.times = grown(this.times, Float64Array, host + 1)
    this.links = grown(this.links, Int32Array, (host + 1) * ROW)
  }
}

interface Holder {
  delete(host: number): void
}

export const LANE = 0
export const AFTER = 1
export const BEFORE = 2
export const ROW = 4
const FIRST_CAPACITY = 64
