import { letterTable } from './signatures.ts'

/** Words that are hashed together: what counts is which words stand next to each other. */
const SHINGLE_WORDS = 3

/** From here on lie the Chinese, Japanese and Korean scripts, which have no spaces: each character is taken for a word. */
const FIRST_EAST_ASIAN = 0x2e80

/** Fingerprints of a text, in hex. */
export interface TextFingerprints {
  /** 64 bits: texts that share most of their phrases differ in few bits. */
  readonly simHash: string
  /** Numbers of 32 bits, 8 digits each: one for all words in any order, then a sample of its phrases (`SAMPLED_PHRASES`). */
  readonly sketch: string
}

/** Of so many phrases of a text one is sampled, the same in every text. */
const SAMPLED_PHRASES = 16
/** Maximum sampled phrases of a text. */
const MAX_SAMPLES = 64

/**
 * A 64-bit fingerprint of a text, as 16 hex digits: texts that share most of their phrases differ in few bits. Case,
 * punctuation and white space do not matter. `undefined` for a text without words, which is like no other.
 */
export function simHash(text: string): string | undefined {
  return fingerprintText(text)?.simHash
}

/** The fingerprints of a text in one pass over it; `undefined` for a text without words. */
export function fingerprintText(text: string): TextFingerprints | undefined {
  const isLetter = letterTable()
  const votes = new BitVotes()
  let words = 0
  // The last two words, and the one being read (FNV-1a over its lower-cased code units).
  let beforeLast = 0
  let last = 0
  let word = FNV_OFFSET
  let wordChars = 0
  /** The sum of all words does not depend on their order. */
  let bag = 0

  const lower = text.toLowerCase()
  for (let i = 0; i <= lower.length; i++) {
    const unit = i < lower.length ? lower.charCodeAt(i) : 0
    const inWord = isLetter[unit] === 1
    if (inWord) {
      word = Math.imul(word ^ unit, FNV_PRIME)
      wordChars++
    }
    if (wordChars === 0 || (inWord && unit < FIRST_EAST_ASIAN)) continue
    words++
    if (words >= SHINGLE_WORDS) votes.add(beforeLast, last, word)
    bag = (bag + mix(word)) | 0
    beforeLast = last
    last = word
    word = FNV_OFFSET
    wordChars = 0
  }
  if (words === 0) return undefined
  // Too short for a phrase: the words that are there are the phrase.
  if (words < SHINGLE_WORDS) votes.add(0, beforeLast, last)
  return { simHash: votes.toHex(), sketch: hex32(bag) + votes.samples().map(hex32).join('') }
}

/** In how many of their 64 bits two fingerprints differ. */
export function hammingDistance(a: string, b: string): number {
  let distance = 0
  for (const at of [0, 8]) {
    const differing = Number.parseInt(a.slice(at, at + 8), 16) ^ Number.parseInt(b.slice(at, at + 8), 16)
    distance += bitCount(differing)
  }
  return distance
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** For each of 64 bits, how many hashes had it set. */
class BitVotes {
  readonly #low = new BitCounters()
  readonly #high = new BitCounters()
  readonly #samples: number[] = []
  #hashes = 0
  #last = 0

  /** Hashes three words into 64 bits and counts them. */
  add(first: number, second: number, third: number): void {
    const low = mix(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77) ^ third)
    if (low % SAMPLED_PHRASES === 0) this.#samples.push(low)
    this.#last = low
    this.#low.add(low)
    this.#high.add(mix(low ^ Math.imul(third, 0xc2b2ae3d) ^ Math.imul(first, 0x27d4eb2f)))
    this.#hashes++
  }

  /** The sampled hashes, each once; at least one, and those with the smallest numbers if there are too many. */
  samples(): number[] {
    if (this.#samples.length === 0) return [this.#last]
    return [...new Set(this.#samples)].sort((a, b) => a - b).slice(0, MAX_SAMPLES)
  }

  /** The bits that more than half of the hashes had. */
  toHex(): string {
    const majority = this.#hashes / 2
    return hex32(this.#high.above(majority)) + hex32(this.#low.above(majority))
  }
}

/**
 * 32 counters side by side: bit `b` of plane `p` is bit `p` of the counter of `b`. Four numbers are first added to each
 * other by full adders, which is quicker than to let the carry of each ripple through the planes.
 */
class BitCounters {
  readonly #planes = new Int32Array(32)
  #first = 0
  #second = 0
  #third = 0
  #waiting = 0

  add(bits: number): void {
    const waiting = this.#waiting
    if (waiting === 0) this.#first = bits
    else if (waiting === 1) this.#second = bits
    else if (waiting === 2) this.#third = bits
    else {
      const planes = this.#planes
      const a = this.#first
      const b = this.#second
      const c = this.#third
      const ones = planes[0] ?? 0
      // ones + a + b, then + c + bits: two sums of one bit each, and their carries.
      const sum = ones ^ a ^ b
      const carry = (ones & a) | ((ones ^ a) & b)
      planes[0] = sum ^ c ^ bits
      const carry2 = (sum & c) | ((sum ^ c) & bits)
      const twos = planes[1] ?? 0
      planes[1] = twos ^ carry ^ carry2
      this.#ripple((twos & carry) | ((twos ^ carry) & carry2), 2)
    }
    this.#waiting = (waiting + 1) & 3
  }

  #ripple(bits: number, from: number): void {
    const planes = this.#planes
    let carry = bits
    for (let p = from; carry !== 0; p++) {
      const plane = planes[p] ?? 0
      planes[p] = plane ^ carry
      carry &= plane
    }
  }

  /** The bits whose counter is over `limit`. */
  above(limit: number): number {
    for (const bits of [this.#first, this.#second, this.#third].slice(0, this.#waiting)) this.#ripple(bits, 0)
    this.#waiting = 0
    let bits = 0
    for (let bit = 0; bit < 32; bit++) {
      let count = 0
      for (let p = 31; p >= 0; p--) count = count * 2 + (((this.#planes[p] ?? 0) >>> bit) & 1)
      if (count > limit) bits |= 1 << bit
    }
    return bits
  }
}

/** Spreads every bit of the input over all bits of the output. */
function mix(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return mixed ^ (mixed >>> 16)
}

function hex32(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0')
}

function bitCount(value: number): number {
  let pairs = value - ((value >>> 1) & 0x55555555)
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
