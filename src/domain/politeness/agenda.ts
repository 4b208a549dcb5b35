import { grown, TimeHeap } from './time-heap.ts'

/**
 * Slots in order of a time, earliest first, as in a TimeHeap, but at a cost that hardly grows with their number.
 *
 * Hosts with equal delays come due in the order in which their delays began, so most times arrive in order. They
 * form lanes: lists in which every time is at least the one before it. Only what fits at the end of no lane goes into a
 * heap. Where a heap of a million reads and writes memory all over, a lane touches its two ends.
 *
 *   lane 0   12:00:01 - 12:00:01 - 12:00:02          delays of one second
 *   lane 1   12:00:09 - 12:00:10                     a Crawl-delay of ten
 *   strays   (heap) 12:00:05, 12:03:20               a Retry-After, times of an earlier process
 */
export class Agenda {
  readonly #strays = new TimeHeap()
  readonly #heads = new Int32Array(LANES).fill(NONE)
  readonly #tails = new Int32Array(LANES).fill(NONE)
  // The same ends as times, side by side; an empty lane begins never and takes anything at its end.
  readonly #headTimes = new Float64Array(LANES).fill(Number.POSITIVE_INFINITY)
  readonly #tailTimes = new Float64Array(LANES).fill(Number.NEGATIVE_INFINITY)
  readonly #rows: AgendaRows
  /** The number of the heap in the rows; the lanes have the numbers after it. */
  readonly #strayLane: number
  #inLanes = 0

  /** Agendas on the same `rows` share their slots: to put one in here takes it out of the others. */
  constructor(rows = new AgendaRows()) {
    this.#rows = rows
    this.#strayLane = rows.assignLanes(1 + LANES, this)
  }

  get size(): number {
    return this.#inLanes + this.#strays.size
  }

  /** The earliest time, `Infinity` when empty. */
  get earliest(): number {
    return Math.min(this.#strays.earliest, this.#headTimes[this.#firstLane()] as number)
  }

  /** The slot with the earliest time, `undefined` when empty. */
  get first(): number | undefined {
    const lane = this.#firstLane()
    const time = this.#headTimes[lane] as number
    return time < this.#strays.earliest ? this.#heads[lane] : this.#strays.first
  }

  /** The time of `slot`, `undefined` when it is not here. */
  timeOf(slot: number): number | undefined {
    return this.#rows.ownerOf(slot) === this ? this.#rows.times[slot] : undefined
  }

  /** Puts `slot` in, or moves it to another time. */
  set(slot: number, time: number): void {
    if (this.timeOf(slot) === time) return
    this.#rows.delete(slot)
    this.#rows.makeRoomFor(slot)
    const lane = this.#laneFor(time)
    this.#rows.times[slot] = time
    this.#rows.links[slot * ROW + LANE] = this.#strayLane + 1 + lane
    if (lane === NONE) this.#strays.set(slot, time)
    else this.#append(lane, slot, time)
  }

  /** Takes `slot` out; nothing happens when it is not here. */
  delete(slot: number): void {
    if (this.#rows.ownerOf(slot) !== this) return
    const { links } = this.#rows
    const lane = (links[slot * ROW + LANE] as number) - this.#strayLane - 1
    if (lane === NONE) this.#strays.delete(slot)
    else this.#unlink(lane, slot)
    links[slot * ROW + LANE] = 0
  }

  /** How many have a time of at most `time`. Costs a few steps for each of them. */
  countUntil(time: number): number {
    const { times, links } = this.#rows
    let count = this.#strays.countUntil(time)
    for (const head of this.#heads)
      for (let slot = head; slot !== NONE && (times[slot] as number) <= time; count++)
        slot = links[slot * ROW + AFTER] as number
    return count
  }

  #firstLane(): number {
    let first = 0
    for (let lane = 1; lane < LANES; lane++)
      if ((this.#headTimes[lane] as number) < (this.#headTimes[first] as number)) first = lane
    return first
  }

  /** The lane that ends closest before `time`, so that each length of delay finds a lane of its own. */
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

  #append(lane: number, slot: number, time: number): void {
    const { links } = this.#rows
    const tail = this.#tails[lane] as number
    if (tail !== NONE) links[tail * ROW + AFTER] = slot
    else {
      this.#heads[lane] = slot
      this.#headTimes[lane] = time
    }
    this.#tails[lane] = slot
    this.#tailTimes[lane] = time
    links[slot * ROW + BEFORE] = tail
    links[slot * ROW + AFTER] = NONE
    this.#inLanes++
  }

  #unlink(lane: number, slot: number): void {
    const { times, links } = this.#rows
    const before = links[slot * ROW + BEFORE] as number
    const after = links[slot * ROW + AFTER] as number
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
 * Where each slot is: in which agenda, at what time, next to whom. Several agendas share these rows, so a slot is in at
 * most one of them, and finding out about it costs one look into memory, not one for each agenda.
 */
export class AgendaRows {
  /** By slot. */
  times = new Float64Array(FIRST_CAPACITY)
  /** By slot times ROW, plus LANE, AFTER or BEFORE. */
  links = new Int32Array(FIRST_CAPACITY * ROW)
  readonly #owners: Array<Holder | undefined> = [undefined]

  /** Lane numbers for a new agenda, in a row; the first is returned. No two agendas have one in common; 0 is not a lane. */
  assignLanes(count: number, owner: Holder): number {
    const first = this.#owners.length
    for (let i = 0; i < count; i++) this.#owners.push(owner)
    return first
  }

  /** The agenda that has `slot`, if any. */
  ownerOf(slot: number): Holder | undefined {
    return this.#owners[this.links[slot * ROW + LANE] ?? 0]
  }

  /** Takes `slot` out of the agenda it is in, if any. */
  delete(slot: number): void {
    this.ownerOf(slot)?.delete(slot)
  }

  makeRoomFor(slot: number): void {
    if (slot < this.times.length) return
    this.times = grown(this.times, Float64Array, slot + 1)
    this.links = grown(this.links, Int32Array, (slot + 1) * ROW)
  }
}

interface Holder {
  delete(slot: number): void
}

export const LANE = 0
export const AFTER = 1
export const BEFORE = 2
export const ROW = 4
const FIRST_CAPACITY = 64
