import { type CharacterReference, decodeAttribute } from './character-references.ts'
import { isSpace } from './characters.ts'
import { NameTrie, START } from './name-trie.ts'
import { NextIndex } from './next-index.ts'
import { plainTagEnd } from './plain-tag-end.ts'

const APOSTROPHE = 0x27
const EQUALS = 0x3d
const GT = 0x3e
const QUOTE = 0x22
const SLASH = 0x2f

/** The attributes somebody asks for; all others are stepped over. */
const NAMES = [
  'action',
  'alt',
  'color',
  'content',
  'encoding',
  'face',
  'href',
  'hreflang',
  'http-equiv',
  'lang',
  'method',
  'name',
  'rel',
  'size',
  'src',
  'title',
  'type',
  'xlink:href',
  'xml:lang',
] as const

/** The number of an attribute, to ask `Attributes` for. */
export function attributeNamed(name: (typeof NAMES)[number]): number {
  return NAMES.indexOf(name) + 1
}

const NO_PLACES: readonly number[] = new Array<number>(NAMES.length + 1).fill(0)

const FIRST = START
const TRIE = new NameTrie(new Map(NAMES.map((name) => [name, attributeNamed(name)])))

/**
 * The attributes of one tag at a time. Remembers where the values stand instead of copying them, so a tag with a
 * million attributes costs time but no memory.
 */
export class Attributes {
  /** Whether the tag ended with `/>`. */
  selfClosing = false
  readonly #html: string
  readonly #units: Uint16Array
  readonly #reference: CharacterReference
  readonly #nextAmpersand: NextIndex
  readonly #nextReturn: NextIndex
  readonly #nextNul: NextIndex
  /** Up to here, the values of the tag stand in the input as they are meant. */
  #plainUntil = 0
  /** A bit for each attribute, by its number, that the tag has. */
  #found = 0
  /** Where its value stands, by its number. */
  readonly #starts: number[] = NO_PLACES.slice()
  readonly #ends: number[] = NO_PLACES.slice()

  /** @param units `codeUnitsOf(html)` */
  constructor(html: string, units: Uint16Array, reference: CharacterReference) {
    this.#html = html
    this.#units = units
    this.#reference = reference
    this.#nextAmpersand = new NextIndex(html, '&')
    this.#nextReturn = new NextIndex(html, '\r')
    this.#nextNul = new NextIndex(html, '\0')
  }

  /** For a tag that has none. */
  clear(): void {
    this.#found = 0
    this.selfClosing = false
  }

  /**
   * Walks from behind the tag's name to behind its `>`, and returns that position; -1 when the input ends first.
   * The values can be asked for afterwards.
   */
  read(pos: number): number {
    const next = Math.min(this.#nextAmpersand.from(pos), this.#nextReturn.from(pos))
    this.#plainUntil = Math.min(next, this.#nextNul.from(pos))
    return this.#walk(pos)
  }

  /** The same for a tag whose attributes nobody asks for. */
  skip(start: number): number {
    const gt = plainTagEnd(this.#units, start)
    if (gt === -1) return this.#walk(start)
    this.#found = 0
    this.selfClosing = this.#units[gt - 1] === SLASH
    return gt + 1
  }

  #walk(start: number): number {
    const units = this.#units
    const length = this.#html.length
    let pos = start
    this.#found = 0
    for (;;) {
      let slash = false
      let c = units[pos] ?? 0
      while (c === SLASH || isSpace(c)) {
        slash = c === SLASH
        c = units[++pos] ?? 0
      }
      if (c === GT) {
        this.selfClosing = slash
        return pos + 1
      }
      if (pos >= length) return -1

      // The first character belongs to the name even when it is `=`.
      let state = FIRST
      do {
        state = TRIE.step(state, c)
        c = units[++pos] ?? 0
      } while (c > GT || (c !== GT && c !== EQUALS && c !== SLASH && !isSpace(c) && pos < length))
      const nameEnd = pos

      while (isSpace(c)) c = units[++pos] ?? 0
      let valueStart = nameEnd
      let valueEnd = nameEnd
      if (c === EQUALS) {
        do c = units[++pos] ?? 0
        while (isSpace(c))
        valueStart = pos
        if (c === QUOTE || c === APOSTROPHE) {
          const quote = c
          valueStart++
          do c = units[++pos] ?? 0
          while (c !== quote && (c !== 0 || pos < length))
          if (c !== quote) return -1
          valueEnd = pos++
        } else {
          while (c > GT || (c !== GT && !isSpace(c) && pos < length)) c = units[++pos] ?? 0
          valueEnd = pos
        }
      }
      this.#note(TRIE.valueAt(state), valueStart, valueEnd)
    }
  }

  has(attribute: number): boolean {
    return (this.#found & (1 << attribute)) !== 0
  }

  /** Decoded; `''` for an attribute without a value, `undefined` for one that is not there. */
  value(attribute: number): string | undefined {
    if (!this.has(attribute)) return undefined
    const start = this.#starts[attribute] ?? 0
    const end = this.#ends[attribute] ?? 0
    if (end <= this.#plainUntil) return this.#html.slice(start, end)
    return decodeAttribute(this.#html, start, end, this.#reference)
  }

  /** Of two attributes with one name the first counts. */
  #note(attribute: number, start: number, end: number): void {
    if (attribute === 0 || this.has(attribute)) return
    this.#found |= 1 << attribute
    this.#starts[attribute] = start
    this.#ends[attribute] = end
  }
}
