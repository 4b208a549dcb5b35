import type { Clock } from '../base/clock.ts'
import { nextSecond } from '../base/clock.ts'
import type { Fleet } from '../domain/frontier/fleet.ts'
import { SegmentMissing } from '../domain/segment/segment-store.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { offeredSegment } from '../flows/cycle/segment-offer.ts'
import type { FleetSession } from './fleet-session.ts'
import type { Terminal } from './terminal.ts'

/** Waits for offers, and works on each until it is over; until the user has enough, the fleet is drained, or with `once` after the first. */
export async function workOnOffers(
  { frontier, clock }: FleetSession,
  terminal: Terminal,
  once: boolean,
  work: (segment: string, over: AbortSignal) => Promise<FetchResult>,
): Promise<FetchResult[]> {
  const { interrupted } = terminal
  const results: FetchResult[] = []
  const tellOfWaiting = onceOnly(() =>
    terminal.err('waiting for a fetch list: orbweaver fetch <dir> --redis offers one\n'),
  )
  const tellOfMissing = onceOnly(({ message }: Error) => terminal.err(`${message}; waiting for it\n`))
  while (!interrupted.aborted && !(once && results.length > 0)) {
    // Who has nothing to do hears of it in this way.
    await frontier.counts()
    if (frontier.state === 'draining') break
    const segment = offeredSegment(await frontier.workers(), clock.now())
    if (segment === undefined) tellOfWaiting()
    else {
      const offer = watchOffer(frontier, clock, segment)
      try {
        const result = await work(segment, AbortSignal.any([offer.over, interrupted]))
        // Others were quicker.
        if (Object.keys(result.statuses).length > 0) results.push(result)
        else if (once) break
      } catch (error) {
        // A file system of a network may show it later.
        if (!(error instanceof SegmentMissing)) throw error
        tellOfMissing(error)
      } finally {
        offer.close()
      }
    }
    await nextSecond(clock, interrupted)
  }
  return results
}

/** Looks every second whether a segment is still offered, and its workers are not to end. */
function watchOffer(fleet: Pick<Fleet, 'workers' | 'state'>, clock: Clock, segment: string) {
  const over = new AbortController()
  let cancel = clock.after(1_000, async function look() {
    // When Redis does not response any more, whoever works finds out.
    const workers = await fleet.workers().catch(() => undefined)
    if (workers !== undefined && offeredSegment(workers, clock.now()) !== segment) over.abort()
    if (fleet.state === 'draining') over.abort()
    if (!over.signal.aborted) cancel = clock.after(1_000, look)
  })
  return {
    over: over.signal,
    close() {
      over.abort()
      cancel()
    },
  }
}

/** Tells it the first time and never again. */
export function onceOnly<Args extends unknown[]>(tell: (...args: Args) => void): (...args: Args) => void {
  let isTold = false
  return (...args) => {
    if (!isTold) tell(...args)
    isTold = true
  }
}
