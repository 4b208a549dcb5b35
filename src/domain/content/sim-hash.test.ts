import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hammingDistance, simHash } from './sim-hash.ts'

/** A text of `words` words that depends on `seed` alone. */
function article(seed: number, words = 400): string {
  let state = seed
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return `w${(state >>> 8) % 3_000}`
  }).join(' ')
}

/** SimHash as in its definition: each bit of the hash of each phrase is counted. */
function countedBits(text: string): string {
  const hashes = text.split(' ').map((word) => {
    let hash = 0x811c9dc5
    for (const unit of word) hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01000193)
    return hash
  })
  const mix = (value: number) => {
    const once = Math.imul(value ^ (value >>> 16), 0x7feb352d)
    const twice = Math.imul(once ^ (once >>> 15), 0x846ca68b)
    return twice ^ (twice >>> 16)
  }
  const counts = new Array<number>(64).fill(0)
  const phrases = hashes.length - 2
  for (let i = 0; i < phrases; i++) {
    const [first = 0, second = 0, third = 0] = hashes.slice(i, i + 3)
    const low = mix(Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77) ^ third)
    const high = mix(low ^ Math.imul(third, 0xc2b2ae3d) ^ Math.imul(first, 0x27d4eb2f))
    const bits = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
    for (let bit = 0; bit < 64; bit++) counts[bit] = (counts[bit] ?? 0) + Number((bits >> BigInt(bit)) & 1n)
  }
  const set = counts.reduce((sum, count, bit) => (count > phrases / 2 ? sum | (1n << BigInt(bit)) : sum), 0n)
  return set.toString(16).padStart(16, '0')
}

const distance = (a: string, b: string) => hammingDistance(simHash(a) ?? '', simHash(b) ?? '')

describe('simHash', () => {
  it('is near for a small edit and far for another text', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const text = article(seed)
      const edited = text.replace(/^(\S+ ){3}/, 'something else entirely ').replace(/\S+$/, 'end')
      expect(distance(text, edited)).toBeLessThanOrEqual(8)
      expect(distance(text, article(seed + 1_000))).toBeGreaterThan(15)
    }
  })

  it('hears the order of words', () => {
    const text = article(7)
    expect(distance(text, text.split(' ').reverse().join(' '))).toBeGreaterThan(15)
  })

  it('does not hear case, punctuation and white space', () => {
    expect(simHash('One, two: THREE\nfour!')).toBe(simHash('one two three four'))
  })

  it('compares scripts without spaces by their characters', () => {
    const text =
      '这是一个用来测试指纹的句子。我们希望它能够被正确地比较出来，即使有一个小小的改动也不要紧。'.repeat(3)
    expect(distance(text, `新的开头${text}`)).toBeLessThanOrEqual(8)
  })

  it('gives short texts their own fingerprints, and texts without words none', () => {
    expect(new Set(['a', 'b', 'a b', 'b a', 'a b c'].map(simHash)).size).toBe(5)
    expect(simHash('')).toBeUndefined()
    expect(simHash('… — !')).toBeUndefined()
  })

  it('stays what it is: it is stored', () => {
    expect(simHash('the quick brown fox jumps over the lazy dog')).toBe('7cfbd584999863d5')
  })

  // Phrases are counted in batches of 512, and eight at a time.
  it.each([3, 10, 11, 17, 513, 514, 515, 521, 1_031])(
    'has the bits that most of its phrases have: %i words',
    (words) => {
      const text = article(words, words)
      expect(simHash(text)).toBe(countedBits(text))
    },
  )

  it('is 16 hex digits for any text with words', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'É', ' ', '漢', '\ud800', '😀', '\0', '7') }),
        (text) => {
          expect(simHash(`word ${text}`)).toMatch(/^[\da-f]{16}$/)
        },
      ),
    )
  })
})

it('counts differing bits', () => {
  expect(hammingDistance('0000000000000000', 'ffffffffffffffff')).toBe(64)
  expect(hammingDistance('8000000000000001', '0000000000000000')).toBe(2)
  const bits = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  fc.assert(
    fc.property(bits, bits, (a, b) => {
      const hex = (value: bigint) => value.toString(16).padStart(16, '0')
      const expected = (a ^ b).toString(2).replaceAll('0', '').length
      expect(hammingDistance(hex(a), hex(b))).toBe(expected)
    }),
  )
})
