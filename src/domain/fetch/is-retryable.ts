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

/** Whether the request may be sent once more in the host's next turn, whatever the retry policy says. */
export function isRepeatable(outcome: FetchOutcome): boolean {
  return 'repeatable' in outcome && outcome.repeatable === true
}

/** Whether we broke it off ourselves. */
export function isAborted(outcome: FetchOutcome): boolean {
  return outcome.kind === 'network-failure' && outcome.cause === 'aborted'
}
