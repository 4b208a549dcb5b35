import {
  ClientClosedError,
  ClientOfflineError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  ErrorReply,
  MaxCommandRedirectionsError,
  RootNodesUnavailableError,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
  TimeoutError,
} from '@redis/client'

/** Whether the same call may succeed later: Redis is away, starting, changing its master, or full. */
export function isOutage(error: unknown): error is Error {
  if (error instanceof ErrorReply) return PASSING.test(error.message)
  return (
    OUTAGES.some((kind) => error instanceof kind) ||
    (error instanceof Error && 'code' in error && isSocketCode(error.code))
  )
}

/** How long to wait before the next try, longer after each: 50 ms to 5 s, and not all at the same time. @param random 0 to 1 */
export function backOffMs(failures: number, random: number): number {
  const most = Math.min(50 * 2 ** Math.min(failures - 1, 10), 5_000)
  return Math.round(most * (0.5 + random / 2))
}

/** Replies that say "not now". OOM: memory is full, until a consumer takes items or the operator adds memory. */
const PASSING =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|NOREPLICAS|MISCONF|OOM|MOVED|ASK)\b|-OOM\b|\bOOM command/

const OUTAGES = [
  ClientOfflineError,
  ClientClosedError,
  ConnectionTimeoutError,
  DisconnectsClientError,
  MaxCommandRedirectionsError,
  RootNodesUnavailableError,
  SocketClosedUnexpectedlyError,
  SocketTimeoutError,
  // Five seconds in the client's own queue.
  TimeoutError,
]

function isSocketCode(code: unknown): boolean {
  return typeof code === 'string' && /^E[A-Z_]+$/.test(code)
}
