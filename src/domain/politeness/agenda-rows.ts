import { grown } from './grown.ts'

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

  /** Lane numbers for a new agenda, in a row; the first is returned. No two agendas have one in common; 0 is no lane. */
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
