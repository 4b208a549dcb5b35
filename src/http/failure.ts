import { errors } from 'undici'
import { printable } from '../base/printable.ts'
import type { FetchOutcome, NetworkFailureCause, RefusalCause } from '../fetch/fetch-outcome.ts'

/** An outcome without an answer, before it is known whose it is. */
export type Failure = WithoutRequest<
  Extract<
    FetchOutcome,
    { readonly kind: 'network-failure' | 'refused' | 'too-large' | 'too-slow' | 'malformed' }
  >
>

type WithoutRequest<Outcome> = Outcome extends unknown ? Omit<Outcome, 'url' | 'timings'> : never

/** Carries a failure through code that can only fail by throwing: sockets, promises, the HTTP client. */
export class FailureError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.detail)
    this.failure = failure
  }
}

export function networkFailure(cause: NetworkFailureCause, detail: string): FailureError {
  return new FailureError({ kind: 'network-failure', cause, detail: printable(detail) })
}

export function refusal(cause: RefusalCause, detail: string): FailureError {
  return new FailureError({ kind: 'refused', cause, detail: printable(detail) })
}

/** What an error of the HTTP client means. Errors of dialling never come here bare: the dialler names them. */
export function failureOf(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure
  const code = codeOf(error)
  const detail = describe(error)
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED')
    return { kind: 'network-failure', cause: 'aborted', detail: 'the fetcher was closed' }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { kind: 'too-large', cause: 'headers', detail }
  return isNotHttp(error, code)
    ? { kind: 'malformed', detail }
    : { kind: 'network-failure', cause: 'reset', detail }
}

/** Whether what came is not HTTP, and not merely the beginning of it. */
function isNotHttp(error: unknown, code: string): boolean {
  const message = messageOf(error)
  if (error instanceof errors.HTTPParserError) return !message.includes('Invalid EOF state')
  // The two sentences are for a 1xx or an upgrade that nobody asked for, the assertion for a status below 100: no codes of their own.
  return (
    code === 'ERR_HTTP2_ERROR' ||
    code === 'ERR_ASSERTION' ||
    message === 'bad response' ||
    message === 'bad upgrade'
  )
}

/** The cause of a failed TCP connection; of several attempts the most telling. */
export function connectFailure(error: unknown): FailureError {
  const attempts = error instanceof AggregateError ? error.errors.map(codeOf) : [codeOf(error)]
  const detail = error instanceof AggregateError ? error.errors.map(describe).join('; ') : describe(error)
  if (attempts.includes('ETIMEDOUT')) return networkFailure('connect-timeout', detail)
  if (attempts.every((code) => code === 'ECONNREFUSED')) return networkFailure('connect-refused', detail)
  return networkFailure(attempts.includes('ECONNRESET') ? 'reset' : 'connect-failed', detail)
}

/** A handshake that was cut off is a reset; anything else is about certificates or the protocol, and its code says what. */
export function tlsFailure(error: unknown): FailureError {
  const code = codeOf(error)
  return networkFailure(code === 'ECONNRESET' || code === 'EPIPE' ? 'reset' : 'tls', describe(error))
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function describe(error: unknown): string {
  const code = codeOf(error)
  const message = messageOf(error)
  return printable(code === '' || message.includes(code) ? message : `${code}: ${message}`)
}
