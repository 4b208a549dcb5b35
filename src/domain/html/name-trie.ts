/**
 * A fixed map from lower-case names to numbers, walked one character at a time: a reader knows the name, in whatever
 * case it is written, as soon as it knows where the name ends.
 */
export class NameTrie {
  /** `#next[state * COLUMNS + column]`: the state after one more character. 0: not the beginning of a name; it is never left. */
  readonly #next: Uint16Array
  /** The value of the name that ends in a state; 0 for none. */
  readonly #values: Int32Array

  constructor(values: ReadonlyMap<string, number>) {
    const states = [...values.keys()].reduce((sum, name) => sum + name.length, START + 1)
    this.#next = new Uint16Array(states * COLUMNS)
    this.#values = new Int32Array(states)
    let last = START
    for (const [name, value] of values) {
      let state = START
      for (let i = 0; i < name.length; i++) {
        const column = COLUMN_OF[name.charCodeAt(i)] ?? 0
        if (column === 0) throw new RangeError(`a name may not have ${name.charAt(i)}: ${name}`)
        const cell = state * COLUMNS + column
        if (this.#next[cell] === 0) this.#next[cell] = ++last
        state = this.#next[cell] ?? 0
      }
      this.#values[state] = value
    }
  }

  /** The state after the character `c`; begin with `START`. */
  step(state: number, c: number): number {
    return c < 128 ? (this.#next[state * COLUMNS + (COLUMN_OF[c] ?? 0)] ?? 0) : 0
  }

  /** What the name is that led to `state`; 0 when it is not in the map. */
  valueAt(state: number): number {
    return this.#values[state] ?? 0
  }
}

/** The state before the first character. */
export const START = 1

const COLUMNS = 64

/** Letters without their case, digits, `-` and `:` have a column each. Column 0 leads nowhere. */
const COLUMN_OF = columns()

function columns(): Uint8Array {
  const table = new Uint8Array(128)
  for (const [index, character] of [...'abcdefghijklmnopqrstuvwxyz0123456789-:'].entries()) {
    table[character.charCodeAt(0)] = index + 1
    table[character.toUpperCase().charCodeAt(0)] = index + 1
  }
  return table
}
