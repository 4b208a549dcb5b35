import type { StatusKind } from '../parts/status-badge.tsx'

/** The name of a kind of outcome for people, and the colour of its class. */
export function outcomeName(kind: string): readonly [text: string, kind: StatusKind] {
  return NAMES[kind] ?? [kind.replaceAll('-', ' ').replace(/^http /, 'HTTP '), 'failed']
}

const NAMES: Readonly<Record<string, readonly [text: string, kind: StatusKind]>> = {
  success: ['fetched', 'good'],
  'not-modified': ['not modified', 'same'],
  moved: ['redirected', 'moved'],
  'not-found': ['not found', 'gone'],
  gone: ['gone', 'gone'],
  'access-denied': ['access denied', 'gone'],
  'robots-disallowed': ['disallowed by robots.txt', 'waiting'],
  blocked: ['host parked', 'waiting'],
  unsupported: ['content coding not supported', 'failed'],
  'rate-limited': ['rate limited (429, 503)', 'passing'],
  'server-error': ['server error', 'failed'],
  'dns-not-found': ['host name not found', 'failed'],
  'dns-failed': ['DNS failure', 'failed'],
  'connect-refused': ['connection refused', 'failed'],
  'connect-timeout': ['connection timeout', 'failed'],
  'connect-failed': ['connection failed', 'failed'],
  tls: ['TLS failure', 'failed'],
  reset: ['connection reset', 'failed'],
  'headers-timeout': ['timeout before the headers', 'failed'],
  'body-timeout': ['timeout in the body', 'failed'],
  proxy: ['proxy failure', 'failed'],
  aborted: ['aborted', 'waiting'],
  'refused-scheme': ['scheme not allowed', 'waiting'],
  'refused-port': ['port not allowed', 'waiting'],
  'refused-address': ['private address', 'waiting'],
  'refused-url': ['invalid URL', 'waiting'],
  'too-large': ['too large', 'failed'],
  'too-slow': ['too slow', 'failed'],
  malformed: ['invalid response', 'failed'],
}
