import type { FetchOutcome } from './fetch-outcome.ts'

/** Whether the same request may fare better in a while. */
export function isRetryable(outcome: FetchOutcome): boolean {
  switch (outcome.kind) {
    case 'rate-limited':
    case 'server-error':
    case 'too-slow':
      return true
    case 'network-failure':
      return !isAborted(outcome)
    default:
      return false
  }
}

/** Whether we broke it off ourselves. */
export function isAborted(outcome: FetchOutcome): boolean {
  return outcome.kind === 'network-failure' && outcome.cause === 'aborted'
}
