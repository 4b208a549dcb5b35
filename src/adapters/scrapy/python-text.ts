import { headerFault } from '../../domain/fetch/headers.ts'

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text in UTF-8 bytes, a byte order mark included; `undefined` when they are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return UTF_8.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Text with one character for each byte that is sent, which is how the HTTP client takes header values. Python sends text as
 * UTF-8, so that `é` is two of them.
 */
export function wireText(value: string | Uint8Array): string {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(value)
  return bytes.toString('latin1')
}

/** Of what a client does by itself: a request that says otherwise would contradict it. */
const OF_THE_CLIENT = new Set(['content-length', 'accept-encoding'])

/** Whether a header can be set by a request. Neither name nor value is trusted. */
export function isSendable(lowerName: string, value: string): boolean {
  return !OF_THE_CLIENT.has(lowerName) && headerFault(lowerName, value) === undefined
}
