/**
 * A host name as Python's `idna` codec writes it (RFC 3490 with the tables of 2003): `faß.de` is `fass.de`, where browsers
 * and our own normal form have `xn--fa-hia.de`. `undefined` where the codec fails: an empty or too long label, a forbidden
 * character, directions of writing that do not go together.
 *
 * Not exact for characters that are younger than Unicode 3.2 and have a compatibility form, such as 🄰, and for five of its
 * CJK compatibility characters, which were corrected later: Node knows today's tables only.
 */
export function toAscii2003(name: string): string | undefined {
  const labels = name.split(isAscii(name) ? '.' : /[.\u3002\uff0e\uff61]/)
  const root = labels.length > 1 && labels.at(-1) === '' ? labels.pop() : undefined
  const ascii: string[] = []
  for (const label of labels) {
    const encoded = labelToAscii(label)
    if (encoded === undefined || encoded === '' || encoded.length > MAX_LABEL) return undefined
    ascii.push(encoded)
  }
  return ascii.join('.') + (root === undefined ? '' : '.')
}

const MAX_LABEL = 63

function labelToAscii(label: string): string | undefined {
  if (isAscii(label)) return label
  const prepared = prepareName(label)
  if (prepared === undefined || isAscii(prepared)) return prepared
  // Each character, of one or two code units, takes a digit at least: a longer label has no code that fits, and to find out costs its square.
  if (prepared.startsWith('xn--') || prepared.length > 2 * MAX_LABEL) return undefined
  return `xn--${encodePunycode(prepared)}`
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}

/**
 * Nameprep (RFC 3491), which IDNA had in 2003: case folded, in one compatibility form, then checked. `undefined` for a label
 * with a forbidden character, or whose directions of writing do not go together.
 */
function prepareName(label: string): string | undefined {
  const kept = Array.from(label).filter((character) => !isMappedToNothing(character))
  const unified = kept.join('').normalize('NFKC')
  const caseFolded = Array.from(unified, caseFold).join('').normalize('NFKC')
  const characters = Array.from(caseFolded)
  if (characters.some(isProhibited)) return undefined
  return isOneDirection(characters) ? caseFolded : undefined
}

/** Through the capital, so that `ß` becomes `ss` and `ς` becomes `σ`; the dotless `ı` is the one letter that must not go that way. */
function caseFold(character: string): string {
  return character === 'ı' ? character : character.toLowerCase().toUpperCase().toLowerCase()
}

function isOneDirection(characters: readonly string[]): boolean {
  if (!characters.some(isRightToLeft)) return true
  const ends = [characters.at(0), characters.at(-1)]
  return ends.every((end) => end !== undefined && isRightToLeft(end)) && !characters.some(isLeftToRight)
}

/** RFC 3454, table B.1. */
const isMappedToNothing = characterTable('ad 34f 1806 180b-180d 200b-200d 2060 fe00-fe0f feff')

/** Tables C.1.2 to C.9: spaces, controls, private use, surrogates, tags. The noncharacters of each plane are seen by their ends. */
const isForbidden = characterTable(
  '80-a0 340-341 6dd 70f 1680 180e 2000-200f 2028-202f 205f-2063 206a-206f 2ff0-2ffb 3000 e000-f8ff fdd0-fdef feff fff9-ffff ' +
    '1d173-1d17a e0001 e0020-e007f f0000-10ffff',
)

/** Table D.1. */
const isRightToLeft = characterTable(
  '5be 5c0 5c3 5d0-5ea 5f0-5f4 61b 61f 621-63a 640-64a 66d-66f 671-6d5 6dd 6e5-6e6 6fa-6fe 700-70d 710 712-72c 780-7a5 7b1 ' +
    '200f fb1d fb1f-fb28 fb2a-fb36 fb38-fb3c fb3e fb40-fb41 fb43-fb44 fb46-fbb1 fbd3-fd3d fd50-fd8f fd92-fdc7 fdf0-fdfc ' +
    'fe70-fe74 fe76-fefc',
)

/** Stands for the 360 ranges of table D.2: letters, spacing marks and letter-like numbers that are not in D.1. */
function isLeftToRight(character: string): boolean {
  return /[\p{L}\p{Mc}\p{Nl}]/u.test(character) && !isRightToLeft(character)
}

function isProhibited(character: string): boolean {
  return isForbidden(character) || ((character.codePointAt(0) ?? 0) & 0xfffe) === 0xfffe
}

/** @param ranges code points in hex: `a1 c0-c5` */
function characterTable(ranges: string): (character: string) => boolean {
  const pairs = ranges.split(' ').map((range) => {
    const [first = '', last = first] = range.split('-')
    return { first: Number.parseInt(first, 16), last: Number.parseInt(last, 16) }
  })
  return (character) => {
    const point = character.codePointAt(0) ?? 0
    return pairs.some(({ first, last }) => first <= point && point <= last)
  }
}

// The numbers of RFC 3492, section 5.
const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const INITIAL_BIAS = 72
const INITIAL_N = 0x80

/** The Punycode of a label, without `xn--`. Node's own module is deprecated, and `domainToASCII` maps by other rules first. */
function encodePunycode(label: string): string {
  const points = Array.from(label, (character) => character.codePointAt(0) ?? 0)
  const basic = points.filter((point) => point < INITIAL_N)
  let output = basic.map((point) => String.fromCharCode(point)).join('')
  if (basic.length > 0) output += '-'

  let bias = INITIAL_BIAS
  let delta = 0
  let handled = basic.length
  // The distinct code points in ascending order: each round inserts all occurrences of one of them.
  let previous = INITIAL_N
  for (const next of [...new Set(points)].filter((point) => point >= INITIAL_N).sort((a, b) => a - b)) {
    delta += (next - previous) * (handled + 1)
    for (const point of points) {
      if (point < next) delta++
      if (point !== next) continue
      output += variableLength(delta, bias)
      bias = adapted(delta, handled + 1, handled === basic.length)
      delta = 0
      handled++
    }
    delta++
    previous = next + 1
  }
  return output
}

function variableLength(delta: number, bias: number): string {
  let text = ''
  let remaining = delta
  for (let k = BASE; ; k += BASE) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
    if (remaining < threshold) return text + digit(remaining)
    text += digit(threshold + ((remaining - threshold) % (BASE - threshold)))
    remaining = Math.floor((remaining - threshold) / (BASE - threshold))
  }
}

function adapted(delta: number, handled: number, isFirst: boolean): number {
  let scaled = Math.floor(isFirst ? delta / DAMP : delta / 2)
  scaled += Math.floor(scaled / handled)
  let k = 0
  for (; scaled > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) scaled = Math.floor(scaled / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * scaled) / (scaled + SKEW))
}

/** 0 to 25 are letters, 26 to 35 digits: not the order of base 36. */
function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 0x61 : value - 26 + 0x30)
}
