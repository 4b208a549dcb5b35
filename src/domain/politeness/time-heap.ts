/**
 * A heap of host indexes by time, earliest first. A host is in it at most once; adding, moving and removing it take O(log n).
 *
 *            7                  Each node has eight children. The root is at 7, so the children of a node start at a
 *     8  9 … 14  15             multiple of eight and their times fill one cache line. A million hosts are seven levels
 *   16…23  24…31  …             deep, instead of twenty in a binary heap. Unused places hold Infinity.
 *
 * Equal times are returned in any order.
 */
export class TimeHeap {
  #times = new Float64Array(FIRST_CAPACITY).fill(Number.POSITIVE_INFINITY)
  #hosts = new Int32Array(FIRST_CAPACITY)
  /** By host index: its place in the two arrays above; 0 if it has none. */
  #places = new Int32Array(FIRST_CAPACITY)
  #end = ROOT

  get size(): number {
    return this.#end - ROOT
  }

  /** The earliest time; `Infinity` if empty. */
  get earliest(): number {
    return this.#times[ROOT] as number
  }

  /** The host with the earliest time; `undefined` if empty. */
  get first(): number | undefined {
    return this.#end === ROOT ? undefined : this.#hosts[ROOT]
  }

  /** The time of `host`; `undefined` if it is not in the heap. */
  timeOf(host: number): number | undefined {
    const place = this.#places[host] ?? 0
    return place === 0 ? undefined : this.#times[place]
  }

  /** Adds `host`, or changes its time. */
  set(host: number, time: number): void {
    const place = this.#places[host] ?? 0
    if (place === 0) {
      this.#makeRoom(host)
      this.#rise(this.#end++, host, time)
    } else if (time < (this.#times[place] as number)) this.#rise(place, host, time)
    else this.#sink(place, host, time)
  }

  /** Removes `host`, if it is in the heap. */
  delete(host: number): void {
    const place = this.#places[host] ?? 0
    if (place === 0) return
    this.#places[host] = 0
    const last = --this.#end
    const movedHost = this.#hosts[last] as number
    const movedTime = this.#times[last] as number
    this.#times[last] = Number.POSITIVE_INFINITY
    if (place === last) return
    // The last host fills the gap. It may come from another branch, so it may have to move up or down.
    if (place > ROOT && movedTime < (this.#times[parentOf(place)] as number))
      this.#rise(place, movedHost, movedTime)
    else this.#sink(place, movedHost, movedTime)
  }

  /** The number of hosts with a time of at most `time`, in eight steps for each. */
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

  #rise(from: number, host: number, time: number): void {
    const times = this.#times
    let place = from
    while (place > ROOT) {
      const parent = parentOf(place)
      const parentTime = times[parent] as number
      if (parentTime <= time) break
      this.#write(place, this.#hosts[parent] as number, parentTime)
      place = parent
    }
    this.#write(place, host, time)
  }

  #sink(from: number, host: number, time: number): void {
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
      this.#write(place, this.#hosts[earliest] as number, earliestTime)
      place = earliest
    }
    this.#write(place, host, time)
  }

  #write(place: number, host: number, time: number): void {
    this.#times[place] = time
    this.#hosts[place] = host
    this.#places[host] = place
  }

  #makeRoom(host: number): void {
    if (host >= this.#places.length) this.#places = grown(this.#places, Int32Array, host + 1)
    const full = this.#times.length
    if (this.#end < full) return
    this.#times = grown(this.#times, Float64Array, full + 1).fill(Number.POSITIVE_INFINITY, full)
    this.#hosts = grown(this.#hosts, Int32Array, full + 1)
  }
}

const CHILDREN = 8
const ROOT = CHILDREN - 1
/** A multiple of eight, so that the arrays have room for all children of a node or for none. */
const FIRST_CAPACITY = 64

function parentOf(place: number): number {
  return (place >> 3) + (ROOT - 1)
}

function firstChildOf(place: number): number {
  return (place - (ROOT - 1)) << 3
}

/** A copy of `array` with its length doubled until it is at least `length`; the new elements are 0. */
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
