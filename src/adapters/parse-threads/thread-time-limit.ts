import type { Clock } from '../../base/clock.ts'

export interface ThreadTimeLimit {
  readonly clock: Clock
  /** CPU time that the thread may use; without a measure of it, wall time. */
  readonly limitMs: number
  /** CPU time used so far. `'starting'`: the thread has not begun. `undefined`: it cannot be measured. */
  readonly cpuMs: () => Promise<number | 'starting' | undefined>
  readonly onExceeded: () => void
}

/**
 * Limits the CPU time of a thread, so that a page does not fail because other programs use the machine. A thread that uses next to none for
 * `limitMs`, or does not tell its time for `limitMs`, waits for something that does not happen, and has exceeded its limit, too. Returns a function that ends the watch.
 */
export function limitThreadTime({ clock, limitMs, cpuMs, onExceeded }: ThreadTimeLimit): () => void {
  let isOver = false
  let lastUsedMs = 0
  const exceed = (): void => {
    isOver = true
    onExceeded()
  }
  const check = async (): Promise<void> => {
    // A thread in native code may not tell its time before it leaves it.
    cancel = clock.after(limitMs, exceed)
    const usedMs = await cpuMs()
    if (isOver) return
    cancel()
    if (usedMs !== 'starting') {
      const isIdle = usedMs === undefined || usedMs - lastUsedMs < limitMs * MIN_SHARE
      if (isIdle || usedMs >= limitMs) return exceed()
      lastUsedMs = usedMs
    }
    cancel = clock.after(limitMs, () => void check())
  }
  let cancel = clock.after(limitMs, () => void check())
  return () => {
    isOver = true
    cancel()
  }
}

/** Of one core. On a machine with a hundred busy programs per core, a thread that works still has more. */
const MIN_SHARE = 0.005
