/**
 * Text with one character for each byte that is sent, which is how the HTTP client takes header values. Python sends text as
 * UTF-8, so that `é` is two of them.
 */
export function wireText(value: string | Uint8Array): string {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(value)
  return bytes.toString('latin1')
}

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** They belong to the connection and to the client that keeps it: a request that says otherwise is not sent. */
const NOT_OURS = new Set([
  ...[
    'host',
    'connection',
    'keep-alive',
    'transfer-encoding',
    'upgrade',
    'expect',
    'te',
    'proxy-authorization',
  ],
  ...['content-length', 'accept-encoding'],
])

/** Whether a header can be set by a request. Neither is trusted: a line feed in a value would be a header of its own. */
export function isSendable(lowerName: string, value: string): boolean {
  return NAME.test(lowerName) && !NOT_OURS.has(lowerName) && VALUE.test(value)
}
