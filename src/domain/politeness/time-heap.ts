/**
 * Slots (small whole numbers that stand for something) in order of a time, earliest first. Each slot is in it at most
 * once and can be moved or removed from anywhere, in O(log n).
 *
 *            7                  Eight children a node, and the root at 7, so that the children of a node start at a
 *     8  9 … 14  15             multiple of eight: their times fill one cache line. A million slots are seven levels
 *   16…23  24…31  …             deep; a binary heap would be twenty. Unused places hold Infinity.
 *
 * Equal times come out in no promised order.
 */
export class TimeHeap {
  #times = new Float64Array(FIRST_CAPACITY).fill(Number.POSITIVE_INFINITY)
  #slots = new Int32Array(FIRST_CAPACITY)
  /** Slot to its place in the two arrays above; 0 when it has none. */
  #places = new Int32Array(FIRST_CAPACITY)
  #end = ROOT

  get size(): number {
    return this.#end - ROOT
  }

  /** The earliest time, `Infinity` when empty. */
  get earliest(): number {
    return this.#times[ROOT] as number
  }

  /** The slot with the earliest time, `undefined` when empty. */
  get first(): number | undefined {
    return this.#end === ROOT ? undefined : this.#slots[ROOT]
  }

  /** The time of `slot`, `undefined` when it is not here. */
  timeOf(slot: number): number | undefined {
    const place = this.#places[slot] ?? 0
    return place === 0 ? undefined : this.#times[place]
  }

  /** Puts `slot` in, or moves it to another time. */
  set(slot: number, time: number): void {
    const place = this.#places[slot] ?? 0
    if (place === 0) {
      this.#makeRoom(slot)
      this.#rise(this.#end++, slot, time)
    } else if (time < (this.#times[place] as number)) this.#rise(place, slot, time)
    else this.#sink(place, slot, time)
  }

  /** Takes `slot` out; nothing happens when it is not here. */
  delete(slot: number): void {
    const place = this.#places[slot] ?? 0
    if (place === 0) return
    this.#places[slot] = 0
    const last = --this.#end
    const movedSlot = this.#slots[last] as number
    const movedTime = this.#times[last] as number
    this.#times[last] = Number.POSITIVE_INFINITY
    if (place === last) return
    // The last one fills the gap. It may come from another branch, so it can belong above or below.
    if (place > ROOT && movedTime < (this.#times[parentOf(place)] as number))
      this.#rise(place, movedSlot, movedTime)
    else this.#sink(place, movedSlot, movedTime)
  }

  /** How many have a time of at most `time`. Costs eight steps for each of them. */
  countUntil(time: number): number {
    let count = 0
    const open = [ROOT]
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (place >= this.#end || (this.#times[place] as number) > time) continue
      count++
      const child = firstChildOf(place)
      for (let i = child; i < child + CHILDREN; i++) open.push(i)
    }
    return count
  }

  #rise(from: number, slot: number, time: number): void {
    const times = this.#times
    let place = from
    while (place > ROOT) {
      const parent = parentOf(place)
      const parentTime = times[parent] as number
      if (parentTime <= time) break
      this.#write(place, this.#slots[parent] as number, parentTime)
      place = parent
    }
    this.#write(place, slot, time)
  }

  #sink(from: number, slot: number, time: number): void {
    const times = this.#times
    const end = this.#end
    let place = from
    for (let child = firstChildOf(place); child < end; child = firstChildOf(place)) {
      let earliest = child
      let earliestTime = times[child] as number
      for (let i = child + 1; i < child + CHILDREN; i++) {
        const childTime = times[i] as number
        if (childTime < earliestTime) {
          earliest = i
          earliestTime = childTime
        }
      }
      if (earliestTime >= time) break
      this.#write(place, this.#slots[earliest] as number, earliestTime)
      place = earliest
    }
    this.#write(place, slot, time)
  }

  #write(place: number, slot: number, time: number): void {
    this.#times[place] = time
    this.#slots[place] = slot
    this.#places[slot] = place
  }

  #makeRoom(slot: number): void {
    if (slot >= this.#places.length) this.#places = grown(this.#places, Int32Array, slot + 1)
    const full = this.#times.length
    if (this.#end < full) return
    this.#times = grown(this.#times, Float64Array, full + 1).fill(Number.POSITIVE_INFINITY, full)
    this.#slots = grown(this.#slots, Int32Array, full + 1)
  }
}

const CHILDREN = 8
const ROOT = CHILDREN - 1
/** A multiple of eight, so that a node has room for all its children or for none. */
const FIRST_CAPACITY = 64

function parentOf(place: number): number {
  return (place >> 3) + (ROOT - 1)
}

function firstChildOf(place: number): number {
  return (place - (ROOT - 1)) << 3
}

/** A copy of `array` with room for at least `length`, doubled as often as that takes; the new places hold 0. */
export function grown<A extends Float64Array | Int32Array>(
  array: A,
  make: new (length: number) => A,
  length: number,
): A {
  let capacity = array.length
  while (capacity < length) capacity *= 2
  const copy = new make(capacity)
  copy.set(array)
  return copy
}
