import { headerFault } from '../../domain/fetch/headers.ts'

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
