import type { Clock } from '../base/clock.ts'
import { printable } from '../base/printable.ts'
import type { RedisConnectionOptions } from './connection.ts'

/**
 * Tells people of outages, of each once when it begins and once when it is over. One that begins soon after another was told of is told
 * of later, if it lasts: a Redis that comes and goes would have them read of nothing else.
 */
export function outageNotices(
  clock: Clock,
  tell: (message: string) => void,
): Required<Pick<RedisConnectionOptions, 'onOutage' | 'onBack'>> {
  let toldAt = Number.NEGATIVE_INFINITY
  let isTold = false
  return {
    onOutage({ message, name }) {
      if (isTold || clock.now() - toldAt < TELL_EVERY_MS) return
      isTold = true
      toldAt = clock.now()
      const reason = printable(message || name, 200)
      tell(
        /\bOOM\b/.test(message)
          ? `the memory of Redis is full (${reason}); waiting for room: take items away (orbweaver items --take), or raise its maxmemory`
          : `Redis is away (${reason}); waiting for it`,
      )
    },
    onBack() {
      if (isTold) tell('Redis is back')
      isTold = false
    },
  }
}

const TELL_EVERY_MS = 30_000
