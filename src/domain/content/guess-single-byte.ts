import { decoderFor } from './charset-label.ts'
import { LANGUAGES, type LanguageLetters } from './language-letters.ts'

/** The charset of most undeclared pages. Another one needs evidence against it. */
const DEFAULT_CHARSET = 'windows-1252'

/** Fewer bytes outside ASCII than this prove nothing. */
const MIN_HIGH_BYTES = 5

/** How many times as likely as windows-1252 a charset must be, as a natural logarithm. */
const MIN_ADVANTAGE = 5

/**
 * The likeliest single-byte charset of text that is not ASCII: the one that turns its bytes into the letters of a language,
 * about as often as that language uses them. windows-1252 when there is too little to tell.
 */
export function guessSingleByte(sample: Uint8Array): string {
  const counts = countHighBytes(sample)
  if (counts.reduce((sum, count) => sum + count, 0) < MIN_HIGH_BYTES) return DEFAULT_CHARSET
  let best = DEFAULT_CHARSET
  let bestScore = Number.NEGATIVE_INFINITY
  let defaultScore = Number.NEGATIVE_INFINITY
  for (const candidate of candidates()) {
    const score = scoreOf(candidate, counts)
    if (candidate.charset === DEFAULT_CHARSET) defaultScore = Math.max(defaultScore, score)
    else if (score > bestScore) {
      best = candidate.charset
      bestScore = score
    }
  }
  return bestScore > defaultScore + MIN_ADVANTAGE ? best : DEFAULT_CHARSET
}

/** What is next to a byte: it continues or starts a run of bytes outside ASCII, or stands alone at an ASCII letter or not. */
const IN_RUN = 0
const STARTS_RUN = 1
const ALONE_IN_WORD = 2
const ALONE = 3
const CONTEXTS = 4

/** How often each byte from 0x80 on occurs in each context, at `(byte - 0x80) * CONTEXTS + context`. */
function countHighBytes(sample: Uint8Array): Uint32Array {
  const counts = new Uint32Array(128 * CONTEXTS)
  for (let i = 0; i < sample.length; i++) {
    const byte = sample[i] ?? 0
    if (byte < 0x80) continue
    const at = (byte - 0x80) * CONTEXTS + contextOf(sample[i - 1] ?? 0, sample[i + 1] ?? 0)
    counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}

function contextOf(before: number, after: number): number {
  if (before >= 0x80) return IN_RUN
  if (after >= 0x80) return STARTS_RUN
  return isAsciiLetter(before) || isAsciiLetter(after) ? ALONE_IN_WORD : ALONE
}

function isAsciiLetter(byte: number): boolean {
  const small = byte | 0x20
  return small >= 0x61 && small <= 0x7a
}

/** One language in one charset. */
interface Candidate {
  readonly charset: string
  /** The natural logarithm of the probability of each byte in each context, laid out as the counts are. */
  readonly logProbabilities: Float64Array
}

function scoreOf({ logProbabilities }: Candidate, counts: Uint32Array): number {
  let score = 0
  for (const [at, count] of counts.entries()) if (count > 0) score += count * (logProbabilities[at] ?? 0)
  return score
}

let allCandidates: readonly Candidate[] | undefined

/** Made on first use: few pages need them. */
function candidates(): readonly Candidate[] {
  allCandidates ??= LANGUAGES.flatMap((language) =>
    language.charsets.map((charset) => ({ charset, logProbabilities: logProbabilities(language, charset) })),
  )
  return allCandidates
}

/** Of all bytes outside ASCII: in text, letters are most of them, and most of those are small. */
const LETTER_SHARE = 0.9
const SMALL_SHARE = 0.9
/** The space that does not break, and each of the quotes, dashes and signs that all languages use. */
const FIXED_SPACE = 0.02
const COMMON_SIGN = 0.005
const RARE_SIGN = 0.0005
const FOREIGN_LETTER = 0.0002
/** A byte that the charset does not define. */
const UNDEFINED = 0.00001

const COMMON_SIGNS = new Set('«»„“”‚‘’–—…°§©®·•€№×')

/** The share of each context, for one kind of character. In Latin script, letters outside ASCII stand alone in words of ASCII. */
const LATIN_CONTEXTS = [0.05, 0.05, 0.88, 0.02]
/** In other scripts they are the words, and begin with the capitals. */
const SMALL_CONTEXTS = [0.83, 0.15, 0.001, 0.01]
const CAPITAL_CONTEXTS = [0.38, 0.6, 0.001, 0.01]
const SIGN_CONTEXTS = [0.3, 0.1, 0.3, 0.3]

function logProbabilities({ letters }: LanguageLetters, charset: string): Float64Array {
  const shares = new Map(
    letters.split(' ').map((entry) => [entry.charAt(0), Number(entry.slice(1)) / 1_000] as const),
  )
  const isLatin = /\p{Script=Latin}/u.test(letters.charAt(0))
  const result = new Float64Array(128 * CONTEXTS)
  for (let byte = 0x80; byte <= 0xff; byte++) {
    const character = decoderFor(charset).decode(Uint8Array.of(byte))
    const probability = LETTER.test(character)
      ? letterProbability(character, shares)
      : signProbability(character)
    for (const [context, share] of contextsOf(character, isLatin).entries()) {
      result[(byte - 0x80) * CONTEXTS + context] = Math.log(probability * share)
    }
  }
  return result
}

/** Thai writes vowels and tones as marks. */
const LETTER = /[\p{L}\p{M}]/u

function contextsOf(character: string, isLatin: boolean): readonly number[] {
  if (!LETTER.test(character)) return SIGN_CONTEXTS
  if (isLatin) return LATIN_CONTEXTS
  return character === character.toLowerCase() ? SMALL_CONTEXTS : CAPITAL_CONTEXTS
}

function signProbability(character: string): number {
  if (character === '\u00a0') return FIXED_SPACE
  if (COMMON_SIGNS.has(character)) return COMMON_SIGN
  return character === '\ufffd' || character < '\u00a0' ? UNDEFINED : RARE_SIGN
}

function letterProbability(character: string, shares: ReadonlyMap<string, number>): number {
  const own = shares.get(character)
  const small = character.toLowerCase()
  if (own !== undefined) return own * LETTER_SHARE * (small === character.toUpperCase() ? 1 : SMALL_SHARE)
  const capital = small === character ? undefined : shares.get(small)
  return capital === undefined ? FOREIGN_LETTER : capital * LETTER_SHARE * (1 - SMALL_SHARE)
}
