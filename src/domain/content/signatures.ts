import { hash } from 'node:crypto'

/** Tokens must be longer than this. */
const MIN_TOKEN_CHARS = 2
/** The quantum as a share of the highest count. */
const QUANT_RATE = 0.01

/**
 * Nutch's TextProfileSignature: MD5 in hex over the frequent words of a text with their counts rounded down, so that a
 * page whose clock or counter changed keeps its signature. `undefined` when the text has no words: the caller falls back
 * on `md5Signature` (Nutch does so only for an empty text, and calls all texts without words duplicates).
 * @example
 * textProfileSignature('Spiders weave webs.') === textProfileSignature('spiders WEAVE webs') // → true
 */
export function textProfileSignature(text: string): string | undefined {
  const counts = countTokens(text)
  if (counts.size === 0) return undefined
  let maxCount = 0
  for (const count of counts.values()) maxCount = Math.max(maxCount, count)
  const quantum = Math.max(Math.round(maxCount * QUANT_RATE), maxCount > 1 ? 2 : 1)
  const profile: Array<readonly [token: string, count: number]> = []
  for (const [token, count] of counts) {
    if (count >= quantum) profile.push([token, count - (count % quantum)])
  }
  profile.sort(([tokenA, countA], [tokenB, countB]) => countB - countA || (tokenA < tokenB ? -1 : 1))
  return hash('md5', profile.map(([token, count]) => `${token} ${count}`).join('\n'))
}

function countTokens(text: string): Map<string, number> {
  const isLetter = letterTable()
  const lower = text.toLowerCase()
  const counts = new Map<string, number>()
  let start = 0
  for (let i = 0; i <= lower.length; i++) {
    if (i < lower.length && isLetter[lower.charCodeAt(i)] === 1) continue
    if (i - start > MIN_TOKEN_CHARS) {
      const token = lower.slice(start, i)
      counts.set(token, (counts.get(token) ?? 0) + 1)
    }
    start = i + 1
  }
  return counts
}

let table: Uint8Array | undefined

/**
 * 1 for each of the 65,536 UTF-16 code units that is a letter or digit, 0 for the others. Half of a surrogate pair is
 * neither, as in Java, whose text profiles ours must equal. Made on first use, in a few milliseconds.
 */
export function letterTable(): Uint8Array {
  table ??= Uint8Array.from({ length: 65_536 }, (_, unit) => (LETTER.test(String.fromCharCode(unit)) ? 1 : 0))
  return table
}

const LETTER = /[\p{L}\p{Nd}]/u

/** MD5 of the content in hex; of the URL when there is none, so that empty pages are not duplicates of each other. */
export function md5Signature(bytes: Uint8Array, url: string): string {
  return hash('md5', bytes.length === 0 ? url : bytes)
}
