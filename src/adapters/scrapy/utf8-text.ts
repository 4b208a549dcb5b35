const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text in UTF-8 bytes, a byte order mark included; `undefined` when they are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(bytes)
  } catch {
    return undefined
  }
}
