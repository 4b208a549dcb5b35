import { isUtf8 } from 'node:buffer'

/**
 * What the value of the field `name` (lower case) says. It is ASCII by the book; UTF-8 where it reads as such, Latin-1 where it does not. But
 * a Location that is neither means its bytes, as browsers take it: each is percent-encoded.
 *
 * @param text One character for each byte.
 */
export function fieldValue(name: string, text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  if (isUtf8(bytes)) return bytes.toString('utf8')
  if (name !== 'location') return text
  return text.replace(/[\x80-\xff]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
