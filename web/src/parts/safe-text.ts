/**
 * Text from the web or from another process, for display. Control characters and characters that change the direction of text become
 * visible escapes such as `\u202e`, so that they cannot reorder or hide other text.
 */
export function safeText(text: string): string {
  return text.replaceAll(INVISIBLE, escapeOf)
}

/** Controls (except tab and line feed), marks and overrides of direction, soft hyphens, zero-width characters, separators, tags. */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
}

/** At most `most` characters: the beginning and the end, with `…` for what is left out. Does not split a surrogate pair. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const tail = Math.floor((most - 1) / 3)
  return `${cutEnd(text, most - 1 - tail)}…${text.slice(-tail).replace(/^[\udc00-\udfff]/, '')}`
}

/** The first `most` characters. Does not split a surrogate pair. */
export function cutEnd(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
}
