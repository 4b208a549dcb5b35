import type { LiveWorker } from '../../../src/domain/live/live-report.ts'

/** `late`: two thirds of the lease have passed. `expired`: other workers take over its hosts. */
export type Heartbeat = 'on-time' | 'late' | 'expired'

export function heartbeatOf(
  { heardAt, expiresAt }: Pick<LiveWorker, 'heardAt' | 'expiresAt'>,
  now: number,
): Heartbeat {
  if (now >= expiresAt) return 'expired'
  return now - heardAt > ((expiresAt - heardAt) * 2) / 3 ? 'late' : 'on-time'
}
