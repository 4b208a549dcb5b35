/**
 * Replaces what `unsafe` finds by the escapes of its UTF-8 bytes.
 * @param unsafe global, and in Unicode mode so that no character is halved
 */
export function escapeText(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, (found) => escapes(Buffer.from(found, 'utf8')))
}

/** The same for a byte string: a string whose every code unit is one byte, so that it sorts and compares as bytes do. */
export function escapeByteString(bytes: string, unsafe: RegExp): string {
  return bytes.replace(unsafe, (found) => escapes(Buffer.from(found, 'latin1')))
}

/** Decodes every complete escape of ASCII text into a byte string; a `%` that starts none stays. */
export function unescapeToByteString(ascii: string): string {
  return ascii.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/** Names and values as Python's `urlencode` writes them: only unreserved characters stay, a space is `+`. */
export function encodeField(bytes: string): string {
  return escapeByteString(bytes, NOT_UNRESERVED).replaceAll('%20', '+')
}

const NOT_UNRESERVED = /[^A-Za-z0-9\-._~]+/g

function escapes(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase().replace(/../g, '%$&')
}
