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
 * @example
 * simHash('Spiders weave webs of silk.') === simHash('spiders weave webs of silk') // → true
 */
export function simHash(text: string): string | undefined {
  return fingerprintText(text)?.simHash
}

/** The fingerprints of a text in one pass over it; `undefined` for a text without words. */
export function fingerprintText(text: string): TextFingerprints | undefined {
  const isLetter = letterTable()
  const phrases = new Phrases()
  let words = 0
  // The last two words, and the one being read (FNV-1a over its lower-cased code units).
  let beforeLast = 0
  let last = 0
  let word = FNV_OFFSET
  /** The sum of all words does not depend on their order. */
  let bag = 0

  const lower = text.toLowerCase()
  const { length } = lower
  let i = 0
  while (i < length) {
    let unit = lower.charCodeAt(i++)
    if (isLetter[unit] !== 1) continue
    word = Math.imul(FNV_OFFSET ^ unit, FNV_PRIME)
    while (unit < FIRST_EAST_ASIAN && i < length) {
      unit = lower.charCodeAt(i)
      if (isLetter[unit] !== 1) break
      word = Math.imul(word ^ unit, FNV_PRIME)
      i++
    }
    words++
    if (words >= SHINGLE_WORDS) phrases.add(beforeLast, last, word)
    bag = (bag + mix(word)) | 0
    beforeLast = last
    last = word
  }
  if (words === 0) return undefined
  // Too short for a phrase: the words that are there are the phrase.
  if (words < SHINGLE_WORDS) phrases.add(0, beforeLast, last)
  return { simHash: phrases.simHash(), sketch: hex32(bag) + phrases.samples().map(hex32).join('') }
}

/**
 * In how many of their 64 bits two fingerprints differ.
 * @example
 * hammingDistance('0000000000000000', '000000000000000f') // → 4
 */
export function hammingDistance(a: string, b: string): number {
  let distance = 0
  for (const at of [0, 8]) {
    const differing = Number.parseInt(a.slice(at, at + 8), 16) ^ Number.parseInt(b.slice(at, at + 8), 16)
    distance += bitCount(differing)
  }
  return distance
}

// As a signed number: V8 would compute with doubles otherwise.
const FNV_OFFSET = 0x811c9dc5 | 0
const FNV_PRIME = 0x01000193

/** Hashes that are counted together. */
const BATCH = 512

/** Hashes of the phrases of a text, with 64 bits each: how many have each bit set, and a sample of them. */
class Phrases {
  readonly #low = new BitCounters()
  readonly #high = new BitCounters()
  readonly #lows = new Int32Array(BATCH)
  readonly #highs = new Int32Array(BATCH)
  readonly #samples: number[] = []
  #waiting = 0
  #hashes = 0
  #last = 0

  /** Adds a phrase of three words, which are given by their hashes. */
  add(first: number, second: number, third: number): void {
    const low = mix(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77) ^ third)
    if ((low & (SAMPLED_PHRASES - 1)) === 0) this.#samples.push(low)
    this.#lows[this.#waiting] = low
    this.#highs[this.#waiting] = mix(low ^ Math.imul(third, 0xc2b2ae3d) ^ Math.imul(first, 0x27d4eb2f))
    if (++this.#waiting === BATCH) this.#count()
  }

  #count(): void {
    const counted = this.#waiting
    if (counted === 0) return
    this.#last = this.#lows[counted - 1] ?? 0
    this.#low.addAll(this.#lows.subarray(0, counted))
    this.#high.addAll(this.#highs.subarray(0, counted))
    this.#hashes += counted
    this.#waiting = 0
  }

  /** The sampled hashes, each once; at least one, and those with the smallest numbers if there are too many. */
  samples(): number[] {
    this.#count()
    if (this.#samples.length === 0) return [this.#last]
    return [...new Set(this.#samples)].sort((a, b) => a - b).slice(0, MAX_SAMPLES)
  }

  /** The bits that more than half of the hashes have, in hex. */
  simHash(): string {
    this.#count()
    const majority = this.#hashes / 2
    return hex32(this.#high.above(majority)) + hex32(this.#low.above(majority))
  }
}

/**
 * 32 counters side by side: bit `b` of plane `p` is bit `p` of the counter of `b`. Eight numbers are first added to each
 * other by full adders, so that a carry ripples through the planes once for all of them.
 */
class BitCounters {
  readonly #planes = new Int32Array(32)

  addAll(numbers: Int32Array): void {
    const planes = this.#planes
    let ones = planes[0] ?? 0
    let twos = planes[1] ?? 0
    let fours = planes[2] ?? 0
    const whole = numbers.length & ~7
    for (let i = 0; i < whole; i += 8) {
      // Each pair of numbers is added to the ones, and leaves a carry; pairs of carries are added to the twos, and so on.
      let a = numbers[i] ?? 0
      let b = numbers[i + 1] ?? 0
      let half = ones ^ a
      const carry1 = (ones & a) | (half & b)
      ones = half ^ b
      a = numbers[i + 2] ?? 0
      b = numbers[i + 3] ?? 0
      half = ones ^ a
      const carry2 = (ones & a) | (half & b)
      ones = half ^ b
      half = twos ^ carry1
      const carry3 = (twos & carry1) | (half & carry2)
      twos = half ^ carry2
      a = numbers[i + 4] ?? 0
      b = numbers[i + 5] ?? 0
      half = ones ^ a
      const carry4 = (ones & a) | (half & b)
      ones = half ^ b
      a = numbers[i + 6] ?? 0
      b = numbers[i + 7] ?? 0
      half = ones ^ a
      const carry5 = (ones & a) | (half & b)
      ones = half ^ b
      half = twos ^ carry4
      const carry6 = (twos & carry4) | (half & carry5)
      twos = half ^ carry5
      half = fours ^ carry3
      const carry7 = (fours & carry3) | (half & carry6)
      fours = half ^ carry6
      this.#ripple(carry7, 3)
    }
    planes[0] = ones
    planes[1] = twos
    planes[2] = fours
    for (let i = whole; i < numbers.length; i++) this.#ripple(numbers[i] ?? 0, 0)
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
