import { meld, type Ticket, withoutFirst } from './ticket.ts'

/** The items waiting for each host (a slot), best priority first and equal priorities in order of arrival. */
export class Backlogs<T> {
  /** By slot; the others hang below it. */
  readonly #firsts: Array<Ticket<T> | undefined> = []
  #arrivals = 0

  /** A new host, with nothing waiting. Slots are opened without gaps, so that the list stays a list. */
  open(slot: number): void {
    this.#firsts[slot] = undefined
  }

  isEmpty(slot: number): boolean {
    return this.#firsts[slot] === undefined
  }

  add(ticket: Ticket<T>): void {
    ticket.order = this.#arrivals++
    this.#firsts[ticket.slot] = meld(this.#firsts[ticket.slot], ticket)
  }

  /** The best ticket, `undefined` when there is none. */
  take(slot: number): Ticket<T> | undefined {
    const first = this.#firsts[slot]
    if (first !== undefined) this.#firsts[slot] = withoutFirst(first)
    return first
  }

  /** All of them, best first. */
  drain(slot: number): T[] {
    const items: T[] = []
    for (let ticket = this.take(slot); ticket !== undefined; ticket = this.take(slot)) items.push(ticket.item)
    return items
  }
}
