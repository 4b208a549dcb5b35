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
import type { Clock } from '../../base/clock.ts'
import { logEvent } from '../../base/event-codes.ts'
import type { EventLog } from '../../base/event-log.ts'
import { printable } from '../../base/printable.ts'

/** Gets the outages of a connection to Redis. */
export interface OutageListener {
  /** Called when Redis is away or refuses a call for now, at each try; the callers wait. */
  readonly onOutage: (error: Error) => void
  /** Called when it responds again and has accepted every call that it refused: reading works while the memory is full. */
  readonly onBack: () => void
}

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

/**
 * Logs outages: each once when it begins and once when it is over. An outage that begins soon after a reported one is
 * reported only if it lasts, so that an unstable Redis does not fill the log.
 */
export function outageNotices(clock: Clock, log: EventLog): OutageListener {
  let reportedAt = Number.NEGATIVE_INFINITY
  let over: string | undefined
  return {
    onOutage({ message, name }) {
      if (over !== undefined || clock.now() - reportedAt < REPORT_EVERY_MS) return
      const isFull = /\bOOM\b/.test(message)
      over = isFull ? 'Redis has room again' : 'Redis is back'
      reportedAt = clock.now()
      // Without the hash and the line of the script.
      const reason = printable((message || name).replace(/ script: .*$/, ''), 200)
      logEvent(
        log,
        isFull ? 'REDIS_FULL' : 'REDIS_LOST',
        isFull
          ? `the memory of Redis is full (${reason}); waiting for room: take items out (orbweaver items --take), or raise its maxmemory`
          : `Redis is away (${reason}); waiting for it`,
      )
    },
    onBack() {
      if (over !== undefined) logEvent(log, 'REDIS_BACK', over)
      over = undefined
    },
  }
}

const REPORT_EVERY_MS = 30_000
