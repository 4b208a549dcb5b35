import type { FetchOutcome, RefusalCause } from '../fetch/fetch-outcome.ts'

/** A stable code for the outcome of a request: the cause of a network failure, else the kind. */
export function outcomeKind(outcome: FetchOutcome): string {
  if (outcome.kind === 'network-failure') return outcome.cause
  return outcome.kind === 'refused' ? REFUSALS[outcome.cause] : outcome.kind
}

const REFUSALS: Readonly<Record<RefusalCause, string>> = {
  scheme: 'refused-scheme',
  port: 'refused-port',
  address: 'refused-address',
  url: 'refused-url',
}

/** Whether a request got a page, or is followed by the request for it. */
export function isUsable({ kind }: FetchOutcome): boolean {
  return kind === 'success' || kind === 'moved' || kind === 'not-modified'
}

/** Whether a request got no usable response, because of the server or the network: a network failure, 429, 5xx or an invalid response. */
export function isErrorOutcome(outcome: FetchOutcome): boolean {
  switch (outcome.kind) {
    case 'network-failure':
      return outcome.cause !== 'aborted'
    case 'rate-limited':
    case 'server-error':
    case 'too-slow':
    case 'too-large':
    case 'malformed':
    case 'unsupported':
      return true
    default:
      return false
  }
}

/** The reason of a failure, for people. */
export function outcomeReason(outcome: FetchOutcome): string {
  if ('detail' in outcome) return outcome.detail
  return `HTTP ${outcome.response.status}`
}
