import type { Attributes } from '@opentelemetry/api'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { ObservedRequest } from '../../domain/fetch/request-observer.ts'

/** Attributes of the whole span: what was requested, and what came of it. */
export function requestAttributes(
  { url, key, purpose }: ObservedRequest,
  outcome: FetchOutcome | undefined,
): Attributes {
  return {
    'url.full': withoutCredentials(url),
    'orbweaver.purpose': purpose,
    'orbweaver.host_queue': key,
    'orbweaver.outcome': outcome === undefined ? 'invalid' : failureCause(outcome),
  }
}

/** Attributes of the HTTP client span, by the semantic conventions of OpenTelemetry. */
export function httpAttributes({ url, method = 'GET' }: ObservedRequest, outcome: FetchOutcome): Attributes {
  const parsed = URL.parse(url)
  const response = 'response' in outcome ? outcome.response : undefined
  const body = 'body' in outcome ? outcome.body : undefined
  return {
    'http.request.method': method,
    'url.full': withoutCredentials(url),
    ...(parsed !== null && {
      'server.address': parsed.hostname,
      'server.port': Number(parsed.port) || (parsed.protocol === 'https:' ? 443 : 80),
    }),
    ...(response !== undefined && {
      'http.response.status_code': response.status,
      'network.peer.address': response.address,
      'network.protocol.version': response.protocol === 'h2' ? '2' : response.protocol.replace('http/', ''),
    }),
    ...(body !== undefined && { 'http.response.body.size': body.wireBytes }),
    ...(errorType(outcome) !== undefined && { 'error.type': errorType(outcome) }),
  }
}

/** The status of an error response, or why there is none; `undefined` for a success. */
export function errorType(outcome: FetchOutcome): string | undefined {
  if ('response' in outcome && outcome.response.status >= 400) return String(outcome.response.status)
  switch (outcome.kind) {
    case 'success':
    case 'moved':
    case 'not-modified':
      return undefined
    default:
      return failureCause(outcome)
  }
}

/** A network failure is reported by its cause, other outcomes by their kind. */
function failureCause(outcome: FetchOutcome): string {
  return outcome.kind === 'network-failure' ? outcome.cause : outcome.kind
}

function withoutCredentials(url: string): string {
  if (!url.includes('@')) return url
  const parsed = URL.parse(url)
  if (parsed === null || (parsed.username === '' && parsed.password === '')) return url
  parsed.username = 'REDACTED'
  parsed.password = 'REDACTED'
  return parsed.href
}
