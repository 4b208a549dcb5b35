// C0 and C1 controls (terminal escapes, line breaks), bidirectional overrides and isolates, line and paragraph separators,
// zero-width and tag characters: characters that move the cursor, forge a line or display text differently.
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu

/**
 * Makes untrusted text safe for one line of a terminal, a log or plain text: unprintable characters become one space,
 * the ends are trimmed, and text over `maxLength` UTF-16 units is truncated with an ellipsis. It does not escape HTML.
 */
export function printable(text: string, maxLength = 200): string {
  // Truncated first, because the text may be megabytes long; twice the length leaves room for removed characters.
  const head = text.length > maxLength * 2 ? text.slice(0, maxLength * 2) : text
  const clean = head.replace(UNPRINTABLE, ' ').trim().toWellFormed()
  if (clean.length <= maxLength && head.length === text.length) return clean
  return `${clean.slice(0, Math.max(0, maxLength - 1)).toWellFormed()}…`
}
