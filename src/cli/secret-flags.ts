/** Stands for a value that is not printed and not stored. It is not valid, so that a command that is copied with it fails with a clear message. */
export const PLACEHOLDER = '…'

/**
 * The value of a flag with `…` in place of what may be a secret: a password in a URL, a token in a header or an argument.
 * Equal to `value` if there is none.
 */
export function withoutSecret(flag: string, value: string): string {
  if (flag === '--header')
    return withoutNamedSecret(value, ':', (name) => !PUBLIC_HEADERS.has(name.toLowerCase()))
  if (flag === '--arg') return withoutNamedSecret(value, '=', (name) => SECRET_NAME.test(name))
  if (SECRET_NAME.test(flag) || hasCredentials(value)) return PLACEHOLDER
  // The URL of a webhook is a secret: everyone who has it can post there.
  return /^--(?:on|notify)-/.test(flag) && /^https?:/i.test(value) ? PLACEHOLDER : value
}

/** Headers whose values are not secrets. Of others, nothing is known. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'cache-control', 'dnt', 'from'],
  ...['pragma', 'prefer', 'priority', 'referer', 'save-data', 'sec-gpc', 'upgrade-insecure-requests'],
])

const SECRET_NAME = /pass|secret|token|key|auth|credential|cookie|session/i

function withoutNamedSecret(text: string, separator: string, isSecret: (name: string) => boolean): string {
  const at = text.indexOf(separator)
  const name = text.slice(0, at).trim()
  if (!isSecret(name) && !hasCredentials(text)) return text
  return `${name}${separator}${separator === ':' ? ' ' : ''}${PLACEHOLDER}`
}

/** `https://user:password@host` */
function hasCredentials(value: string): boolean {
  return /:\/\/[^/?#\s]*@/.test(value)
}
