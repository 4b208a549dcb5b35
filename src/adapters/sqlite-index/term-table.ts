/**
 * Counts the pages of each word. A hash table over two hashes of a word's characters, so that a string is made of a word once, and not
 * for each of its places: most of the time of counting went into strings. Two words of one table share both hashes (64 bits) with
 * a probability of less than one in a million even if there are millions of words.
 */
export class TermTable {
  #size = FIRST_SIZE
  #used = 0
  /** 0 in `#terms` marks a free slot; otherwise the position of the word in `#words`, plus 1. */
  #terms = new Int32Array(FIRST_SIZE)
  #first = new Int32Array(FIRST_SIZE)
  #second = new Int32Array(FIRST_SIZE)
  #pages = new Int32Array(FIRST_SIZE)
  /** The page that was counted last. */
  #last = new Int32Array(FIRST_SIZE)
  #words: string[] = []
  #page = 0

  /** Counts each word of a page once. @param texts as `searchText` makes them */
  countPage(texts: readonly string[], change: 1 | -1): void {
    this.#page++
    for (const text of texts) this.#countText(text, change)
  }

  /** The words, each with the change of its number of pages. */
  *counts(): Generator<readonly [string, number]> {
    for (let slot = 0; slot < this.#size; slot++) {
      const position = this.#terms[slot] ?? 0
      if (position > 0) yield [this.#words[position - 1] ?? '', this.#pages[slot] ?? 0]
    }
  }

  clear(): void {
    this.#terms.fill(0)
    this.#words = []
    this.#used = 0
  }

  /** Words are separated as the tokeniser of the tables does. */
  #countText(text: string, change: 1 | -1): void {
    let start = -1
    let first = 0
    let second = 0
    for (let i = 0; i <= text.length; i++) {
      const code = i < text.length ? text.charCodeAt(i) : 0
      if (code >= 0x80 || IN_A_WORD[code] === 1) {
        if (start === -1) {
          start = i
          first = FIRST_SEED
          second = SECOND_SEED
        }
        first = Math.imul(first ^ code, FIRST_FACTOR)
        second = Math.imul(second + code, SECOND_FACTOR) ^ (second >>> 13)
      } else if (start !== -1) {
        this.#count(text, start, i, first, second, change)
        start = -1
      }
    }
  }

  #count(text: string, start: number, end: number, first: number, second: number, change: 1 | -1): void {
    let slot = this.#slotOf(first, second)
    if (this.#terms[slot] === 0) {
      if (this.#used * 2 >= this.#size) {
        this.#grow()
        slot = this.#slotOf(first, second)
      }
      // A copy, so that a word does not keep its whole text.
      this.#words.push(Buffer.from(text.slice(start, end)).toString())
      this.#used++
      this.#terms[slot] = this.#words.length
      this.#first[slot] = first
      this.#second[slot] = second
      this.#pages[slot] = change
      this.#last[slot] = this.#page
    } else if (this.#last[slot] !== this.#page) {
      this.#pages[slot] = (this.#pages[slot] ?? 0) + change
      this.#last[slot] = this.#page
    }
  }

  /** The slot of a word, or the free one that it would get. */
  #slotOf(first: number, second: number): number {
    const mask = this.#size - 1
    let slot = (first ^ (second >>> 7)) & mask
    while (this.#terms[slot] !== 0 && !(this.#first[slot] === first && this.#second[slot] === second))
      slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const { terms, first, second, pages, last } = {
      ...{ terms: this.#terms, first: this.#first, second: this.#second },
      ...{ pages: this.#pages, last: this.#last },
    }
    this.#size *= 2
    this.#terms = new Int32Array(this.#size)
    this.#first = new Int32Array(this.#size)
    this.#second = new Int32Array(this.#size)
    this.#pages = new Int32Array(this.#size)
    this.#last = new Int32Array(this.#size)
    for (let old = 0; old < terms.length; old++) {
      if (terms[old] === 0) continue
      const slot = this.#slotOf(first[old] ?? 0, second[old] ?? 0)
      this.#terms[slot] = terms[old] ?? 0
      this.#first[slot] = first[old] ?? 0
      this.#second[slot] = second[old] ?? 0
      this.#pages[slot] = pages[old] ?? 0
      this.#last[slot] = last[old] ?? 0
    }
  }
}

/** Slots; a power of two. */
const FIRST_SIZE = 2 ** 15
const FIRST_SEED = 0x811c9dc5
const FIRST_FACTOR = 0x01000193
const SECOND_SEED = 0x9747b28c
const SECOND_FACTOR = 0x5bd1e995

/** 1 for digits and small letters of ASCII. */
const IN_A_WORD = Uint8Array.from({ length: 0x80 }, (_, code) =>
  /[0-9a-z]/.test(String.fromCharCode(code)) ? 1 : 0,
)
