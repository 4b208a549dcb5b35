/** Where a character comes next. Asked from positions that never go back, so all searches together read the text once. */
export class NextIndex {
  readonly #text: string
  readonly #character: string
  #at = -1

  constructor(text: string, character: string) {
    this.#text = text
    this.#character = character
  }

  /** The first one at or behind `pos`; the end of the text when there is none. */
  from(pos: number): number {
    if (this.#at < pos) {
      const at = this.#text.indexOf(this.#character, pos)
      this.#at = at === -1 ? Math.max(pos, this.#text.length) : at
    }
    return this.#at
  }
}
