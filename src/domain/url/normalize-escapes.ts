/** Percent escapes, lone percent signs, and the ASCII characters that RFC 3986 has no place for in a path or query. */
const TO_REWRITE = /%(?:[0-9A-Fa-f]{2})?|[\0- "<>[\\\]^`{|}\x7f]/g
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * One spelling for each path or query that the URL standard left with several: escaped unreserved characters are
 * decoded, other escapes get upper-case digits, a `%` that starts no escape becomes `%25`, and what must be escaped is.
 * `text` is ASCII. The output is stable: every `%` in it starts an upper-case escape of a character that needs one.
 */
export function normalizeEscapes(text: string): string {
  return text.replace(TO_REWRITE, rewrite)
}

function rewrite(found: string): string {
  if (found === '%') return '%25'
  if (found.length === 1) return `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
  return UNRESERVED.test(character) ? character : found.toUpperCase()
}
