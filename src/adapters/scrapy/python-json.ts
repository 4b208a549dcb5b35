import type { Json } from '../../base/json.ts'

export type JsonReading =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: string }

/** Nested deeper than this, a value could not be walked or written again without running out of stack. */
const MAX_DEPTH = 100

/**
 * Reads what Python's `json` wrote, from a worker that may be broken or hostile: it never throws. `NaN`, `Infinity` and
 * `-Infinity`, which are not JSON, become `null`; integers beyond 2^53 lose digits; of two members with one name the last counts.
 */
export function parsePythonJson(text: string): JsonReading {
  const plain = withoutNonNumbers(text)
  if (plain === undefined) return { ok: false, reason: `nested more than ${MAX_DEPTH} levels deep` }
  try {
    return { ok: true, value: JSON.parse(plain) as Json }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) }
  }
}

/** A value of the hash `<spider>:stats`: a number where it is one, else text. */
export function readPythonStat(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && Number.isFinite(number) ? number : text
}

/** A string as Python's `json` writes it: nothing but printable ASCII. */
export function pythonString(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** No part of it repeats, so that no text can exhaust the stack of the matcher. */
const TOKENS = /\\.|"|[{}[\]]|-?Infinity|NaN/gs

/** With `null` for the numbers that JSON has not; `undefined` when it nests too deep. Whatever else is wrong, JSON.parse will find. */
function withoutNonNumbers(text: string): string | undefined {
  let plain = ''
  let copied = 0
  let depth = 0
  let inString = false
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '"') inString = !inString
    if (inString || token === '"' || token.startsWith('\\')) continue
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else {
      plain += `${text.slice(copied, index)}null`
      copied = index + token.length
    }
    if (depth > MAX_DEPTH) return undefined
  }
  return plain + text.slice(copied)
}
