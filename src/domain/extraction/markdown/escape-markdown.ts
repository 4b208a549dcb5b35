/**
 * Escapes a piece of text so that Markdown shows it unchanged, wherever it stands in a line. `before` and `after` are the
 * characters next to it, `''` at an end. What matters only at the start of a line is left to `escapeLineStart`.
 */
export function escapeMarkdown(text: string, before: string, after: string): string {
  if (!SPECIAL.test(text)) return text
  return text.replace(EACH_SPECIAL, (c, at: number) => {
    const prev = at > 0 ? text.charAt(at - 1) : before
    const next = at + 1 < text.length ? text.charAt(at + 1) : after
    return isHarmless(c, prev, next) ? c : `\\${c}`
  })
}

const SPECIAL = /[\\`*_[\]<&~]/
const EACH_SPECIAL = /[\\`*_[\]<&~]/g
const WORD_CHARACTER = /[\p{L}\p{N}]/u

function isHarmless(c: string, prev: string, next: string): boolean {
  // `snake_case` is not emphasis, and is far more frequent in texts than what is.
  if (c === '_') return WORD_CHARACTER.test(prev) && WORD_CHARACTER.test(next)
  if (c === '*') return prev === ' ' && next === ' '
  if (c === '<') return next !== '' && !/[A-Za-z/!?]/.test(next)
  if (c === '&') return next !== '' && !/[#A-Za-z]/.test(next)
  return false
}

/** Escapes what would make a line a heading, a list item, a quotation, a rule or a table. */
export function escapeLineStart(line: string): string {
  return line
    .replace(/^(?:#{1,6}(?=\s|$)|[+](?=\s|$)|-(?=[\s-]|$)|[=>:|])/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** The text of a code span, between enough backticks. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text, '`') + 1)
  const needsSpace = text.startsWith('`') || text.endsWith('`') || (/^ .* $/.test(text) && text.trim() !== '')
  return needsSpace ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** A fenced code block. */
export function codeBlock(code: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code, '`') + 1))
  return `${fence}${language}\n${code}\n${fence}`
}

function longestRun(text: string, c: string): number {
  let longest = 0
  let run = 0
  for (let i = 0; i < text.length; i++) {
    run = text.charAt(i) === c ? run + 1 : 0
    if (run > longest) longest = run
  }
  return longest
}

/** The destination of a link or an image. @param url absolute, as `URL.href` writes it */
export function destination(url: string): string {
  const safe = url
    .replaceAll('\\', '%5C')
    .replace(/[<>\s]/g, (c) => encodeURIComponent(c))
    .replace(/&(?=#?\w+;)/g, '\\&')
  return /[()]/.test(safe) ? `<${safe}>` : safe
}
