import type { Fleet, FleetControl } from '../domain/frontier/fleet.ts'
import type { LiveActionResult } from '../domain/live/live-report.ts'
import type { LiveRun } from './live-run.ts'
import { setFleetDelay } from './set-fleet-delay.ts'

/**
 * Controls a whole crawl in Redis from one of its workers, and applies the delays of hosts that an operator set elsewhere. If only one worker
 * paused, its hosts would wait for it; if only one changed a delay, the next owner of the host would not. The action `stop` stops this worker
 * alone.
 */
export function controlFleet(
  run: LiveRun,
  fleet: Pick<Fleet, 'state' | 'onHostDelays'>,
  control: FleetControl,
): void {
  const change = async (state: 'paused' | undefined): Promise<LiveActionResult> => {
    if (fleet.state === 'draining') return { ok: false, message: 'the crawl is draining: its workers stop' }
    const before = await control.setState(state)
    if (before === state)
      return { ok: true, message: `the crawl ${state === 'paused' ? 'is already' : 'is not'} paused` }
    const now = state === 'paused' ? 'paused' : 'resumed'
    return { ok: true, message: `the crawl is ${now}, with all its workers` }
  }
  run.pausedBy(() => fleet.state === 'paused')
  run.offer({
    pause: () => change('paused'),
    resume: () => change(undefined),
    'set-delay': ({ host, delayMs }) => setFleetDelay(control, host, delayMs),
  })
  fleet.onHostDelays((delays) => run.replaceDelays(delays))
}
