/** How many kills there were, and where they hit: a test of crashes that never interrupts anything proves nothing. */
export class KillCount {
  readonly #places = new Map<string, Map<string, number>>()
  #hits = 0
  #misses = 0
  #lost = 0
  #oldestLostMs = 0

  /** @param place where the process was; `undefined` when it had ended before */
  count(step: string, place: string | undefined): void {
    if (place === undefined) this.#misses++
    else this.#hits++
    const places = this.#places.get(step) ?? new Map<string, number>()
    this.#places.set(step, places)
    const shown = place ?? 'missed'
    places.set(shown, (places.get(shown) ?? 0) + 1)
  }

  /** @param agesMs how long before the kill each request came that has to be made again */
  lost(agesMs: readonly number[]): void {
    this.#lost += agesMs.length
    this.#oldestLostMs = Math.max(this.#oldestLostMs, ...agesMs)
  }

  get total(): number {
    return this.#hits + this.#misses
  }

  get hitRatio(): number {
    return this.#hits / this.total
  }

  toString(): string {
    const lines = Array.from(this.#places, ([step, places]) => {
      const tally = Array.from(places, ([place, n]) => `${place} ${n}`).sort()
      return `  ${step.padEnd(12)} ${tally.join(', ')}`
    })
    return [
      `${this.total} kills, ${this.#hits} of a living process:`,
      ...lines,
      `  ${this.#lost} requests lost, the oldest ${this.#oldestLostMs} ms before the kill`,
      '',
    ].join('\n')
  }
}
