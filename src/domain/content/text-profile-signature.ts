import { hash } from 'node:crypto'
import { letterTable } from './letter-table.ts'

/** Tokens must be longer than this. */
const MIN_TOKEN_CHARS = 2
/** The quantum as a share of the highest count. */
const QUANT_RATE = 0.01

/**
 * Nutch's TextProfileSignature: MD5 in hex over the frequent words of a text with their counts rounded down, so that a
 * page whose clock or counter changed keeps its signature. `undefined` when the text has no words: the caller falls back
 * on `md5Signature` (Nutch does so only for an empty text, and calls all texts without words duplicates).
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
