import type { FleetControl } from '../domain/frontier/fleet.ts'
import type { LiveActionResult } from '../domain/live/live-report.ts'
import { operatorDelayProblem } from '../domain/live/operator-delay.ts'

/** The action `set-delay` for all workers of a crawl in Redis. @param delayMs `null`: restore the configured delay */
export async function setFleetDelay(
  control: FleetControl,
  name: string,
  delayMs: number | null,
): Promise<LiveActionResult> {
  const host = name.toLowerCase()
  const problem = operatorDelayProblem(host, delayMs)
  if (problem !== undefined) return { ok: false, message: problem }
  const change = await control.setHostDelay(host, delayMs)
  if (change === 'none')
    return { ok: false, message: 'there is no such crawl in Redis; start a worker first' }
  if (change === 'full')
    return {
      ok: false,
      message:
        'too many hosts of this crawl have a delay set by an operator: restore the configured delay of another host first, or change politeness.delaySeconds of the workers',
    }
  if (delayMs === null)
    return { ok: true, message: `the configured delay of ${host} is restored; workers apply it in seconds` }
  return {
    ok: true,
    message: `the delay of ${host} is set to ${delayMs / 1_000} s until the crawl is cleared; workers apply it in seconds, and a longer delay that the host demands stays in force`,
  }
}
