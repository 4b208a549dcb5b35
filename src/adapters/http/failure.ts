import { CrawlError } from '../../base/crawl-error.ts'
import { printable } from '../../base/printable.ts'
import type { FetchOutcome, NetworkFailureCause, RefusalCause } from '../../domain/fetch/fetch-outcome.ts'

/** An outcome without a response, before the request is known. */
export type Failure = WithoutRequest<
  Extract<
    FetchOutcome,
    { readonly kind: 'network-failure' | 'refused' | 'too-large' | 'too-slow' | 'malformed' }
  >
>

type WithoutRequest<Outcome> = Outcome extends unknown ? Omit<Outcome, 'url' | 'timings'> : never

/**
 * A request of the HTTP client failed.
 * Remedy: The message has the cause.
 *
 * Carries a failure through code that can only fail by throwing: sockets, promises, the HTTP client.
 */
export class FailureError extends CrawlError {
  readonly code = 'FETCH_FAILED'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.detail)
    this.failure = failure
  }

  get retryable(): boolean {
    return this.failure.kind === 'network-failure' || this.failure.kind === 'too-slow'
  }
}

export function networkFailure(cause: NetworkFailureCause, detail: string): FailureError {
  return new FailureError({ kind: 'network-failure', cause, detail: printable(detail) })
}

export function refusal(cause: RefusalCause, detail: string): FailureError {
  return new FailureError({ kind: 'refused', cause, detail: printable(detail) })
}

/** An error on an open connection is a reset. */
export function socketFailure(error: unknown): FailureError {
  return networkFailure('reset', describeError(error))
}

/** The cause of a failed TCP connection; of several attempts the most specific. */
export function connectFailure(error: unknown): FailureError {
  const attempts = error instanceof AggregateError ? error.errors.map(codeOf) : [codeOf(error)]
  const detail =
    error instanceof AggregateError ? error.errors.map(describeError).join('; ') : describeError(error)
  if (attempts.includes('ETIMEDOUT')) return networkFailure('connect-timeout', detail)
  if (attempts.every((code) => code === 'ECONNREFUSED')) return networkFailure('connect-refused', detail)
  return networkFailure(attempts.includes('ECONNRESET') ? 'reset' : 'connect-failed', detail)
}

/** A handshake that was cut off is a reset; anything else is about certificates or the protocol, and its code says what. */
export function tlsFailure(error: unknown): FailureError {
  const code = codeOf(error)
  return networkFailure(code === 'ECONNRESET' || code === 'EPIPE' ? 'reset' : 'tls', describeError(error))
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** The message of an error, with its code. */
export function describeError(error: unknown): string {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  return printable(code === '' || message.includes(code) ? message : `${code}: ${message}`)
}
