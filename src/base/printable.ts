// C0 and C1 controls (terminal escapes, line breaks), bidirectional overrides and isolates, line and paragraph separators,
// zero-width and tag characters: what can move a cursor, forge a line or show text other than it is.
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu

/**
 * Foreign text made safe to show on one line of a terminal, a log or a page's plain text: what is unprintable becomes one space,
 * the ends are trimmed, and more than `maxLength` characters (UTF-16 units) end in an ellipsis. It does not escape HTML.
 */
export function printable(text: string, maxLength = 200): string {
  // Cut first: the text may be megabytes. Twice the length leaves room for what is removed.
  const head = text.length > maxLength * 2 ? text.slice(0, maxLength * 2) : text
  const clean = head.replace(UNPRINTABLE, ' ').trim().toWellFormed()
  if (clean.length <= maxLength && head.length === text.length) return clean
  return `${clean.slice(0, Math.max(0, maxLength - 1)).toWellFormed()}…`
}
