import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when the set has `size` members; rejects when it stops growing. */
export async function grown(set: ReadonlySet<unknown>, size: number): Promise<void> {
  let was = -1
  let grewAt = 0
  while (set.size < size) {
    if (set.size > was) grewAt = performance.now()
    was = set.size
    if (performance.now() - grewAt > STALLED_MS) throw new Error(`no progress after ${was} pages`)
    await sleep(10)
  }
}

/** Longer than a failover, several leases and the start of a process on a busy machine. */
const STALLED_MS = 90_000
