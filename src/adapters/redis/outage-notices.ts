import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import type { RedisConnectionOptions } from './redis-connection.ts'

/**
 * Reports outages to people: each once when it begins and once when it is over. An outage that begins soon after a reported one is
 * reported only if it lasts, so that an unstable Redis does not fill the log.
 */
export function outageNotices(
  clock: Clock,
  report: (message: string) => void,
): Required<Pick<RedisConnectionOptions, 'onOutage' | 'onBack'>> {
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
      report(
        isFull
          ? `the memory of Redis is full (${reason}); waiting for room: take items out (orbweaver items --take), or raise its maxmemory`
          : `Redis is away (${reason}); waiting for it`,
      )
    },
    onBack() {
      if (over !== undefined) report(over)
      over = undefined
    },
  }
}

const REPORT_EVERY_MS = 30_000
