import { AttributeCursor, plainTagEnd } from './attribute-cursor.ts'
import { type CharacterReference, decodeAttribute } from './character-references.ts'
import { NameTrie, START } from './name-trie.ts'

const SLASH = 0x2f

/** The attributes that the scanner reads; all others are skipped. */
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

/** The number by which `Attributes` finds an attribute. */
export function attributeNamed(name: (typeof NAMES)[number]): number {
  return NAMES.indexOf(name) + 1
}

const NO_PLACES: readonly number[] = new Array<number>(NAMES.length + 1).fill(0)

const FIRST = START
const TRIE = new NameTrie(new Map(NAMES.map((name) => [name, attributeNamed(name)])))

/**
 * The attributes of one tag at a time. Stores the positions of values instead of copies, so that a tag with a million
 * attributes costs time but no memory.
 */
export class Attributes {
  /** Whether the tag ended with `/>`. */
  selfClosing = false
  readonly #html: string
  readonly #units: Uint16Array
  readonly #cursor: AttributeCursor
  readonly #reference: CharacterReference
  readonly #nextAmpersand: NextIndex
  readonly #nextReturn: NextIndex
  readonly #nextNul: NextIndex
  /** Values that end before this position contain nothing to decode. */
  #plainUntil = 0
  /** Bit set of the attributes present in the tag, by number. */
  #found = 0
  /** Start and end of the values, by number. */
  readonly #starts: number[] = NO_PLACES.slice()
  readonly #ends: number[] = NO_PLACES.slice()

  /** @param units `codeUnitsOf(html)` */
  constructor(html: string, units: Uint16Array, reference: CharacterReference) {
    this.#html = html
    this.#units = units
    this.#cursor = new AttributeCursor(html)
    this.#reference = reference
    this.#nextAmpersand = new NextIndex(html, '&')
    this.#nextReturn = new NextIndex(html, '\r')
    this.#nextNul = new NextIndex(html, '\0')
  }

  /** For a tag without attributes. */
  clear(): void {
    this.#found = 0
    this.selfClosing = false
  }

  /**
   * Reads the attributes from the end of the tag's name on. Returns the position after the `>`; -1 if the input ends first.
   * Afterwards `has()` and `value()` refer to this tag.
   */
  read(pos: number): number {
    const next = Math.min(this.#nextAmpersand.from(pos), this.#nextReturn.from(pos))
    this.#plainUntil = Math.min(next, this.#nextNul.from(pos))
    return this.#walk(pos)
  }

  /** The same for a tag whose attributes are not needed. */
  skip(start: number): number {
    const gt = plainTagEnd(this.#units, start)
    if (gt === -1) return this.#walk(start)
    this.#found = 0
    this.selfClosing = this.#units[gt - 1] === SLASH
    return gt + 1
  }

  #walk(start: number): number {
    const units = this.#units
    const cursor = this.#cursor
    cursor.start(start)
    this.#found = 0
    while (cursor.next()) {
      let state = FIRST
      const { nameEnd } = cursor
      for (let i = cursor.nameStart; i < nameEnd; i++) state = TRIE.step(state, units[i] ?? 0)
      this.#note(TRIE.valueAt(state), cursor.valueStart, cursor.valueEnd)
    }
    // White space after the slash is allowed in the tree of selectors, which follows htmlparser2, but not in the HTML standard.
    this.selfClosing = cursor.isSelfClosing && units[cursor.end - 2] === SLASH
    return cursor.end
  }

  has(attribute: number): boolean {
    return (this.#found & (1 << attribute)) !== 0
  }

  /** Decoded; `''` for an attribute without a value, `undefined` for a missing attribute. */
  value(attribute: number): string | undefined {
    if (!this.has(attribute)) return undefined
    const start = this.#starts[attribute] ?? 0
    const end = this.#ends[attribute] ?? 0
    if (end <= this.#plainUntil) return this.#html.slice(start, end)
    return decodeAttribute(this.#html, start, end, this.#reference)
  }

  /** Of two attributes with the same name the first counts. */
  #note(attribute: number, start: number, end: number): void {
    if (attribute === 0 || this.has(attribute)) return
    this.#found |= 1 << attribute
    this.#starts[attribute] = start
    this.#ends[attribute] = end
  }
}

/** Finds the next occurrence of a character. Positions only increase, so that all searches together read the text once. */
class NextIndex {
  readonly #text: string
  readonly #character: string
  #at = -1

  constructor(text: string, character: string) {
    this.#text = text
    this.#character = character
  }

  /** The first occurrence at or after `pos`; the length of the text if there is none. */
  from(pos: number): number {
    if (this.#at < pos) {
      const at = this.#text.indexOf(this.#character, pos)
      this.#at = at === -1 ? Math.max(pos, this.#text.length) : at
    }
    return this.#at
  }
}
