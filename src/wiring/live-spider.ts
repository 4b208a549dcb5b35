import { formatCount } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { Settlement } from '../domain/frontier/settlement.ts'
import { BackgroundValue } from '../domain/live/background-value.ts'
import type { LiveActionResult } from '../domain/live/live-report.ts'
import { RecentItems } from '../domain/live/recent-items.ts'
import { hostOf } from '../domain/url/host-of.ts'
import type { FailedAttempt } from '../flows/spider/outcome-processor.ts'
import { controlFleet } from './control-fleet.ts'
import { type LiveRun, type LiveRunOptions, withLiveRun } from './live-run.ts'
import type { SpiderStores } from './spider-stores.ts'

/** A watched run of a spider. */
export interface LiveSpider {
  readonly run: LiveRun
  readonly onStored: (batch: readonly Settlement[]) => void
  readonly onFailure: (failure: FailedAttempt) => void
  /** Lets an operator requeue failed requests. @param onRequeued called when the frontier has them */
  offerRetries(onRequeued: () => void): void
}

/** Calls `work` with a run of a spider that can be watched. */
export function withLiveSpider<T>(
  name: string,
  stores: SpiderStores,
  { watchers, signal, maxPages }: Pick<LiveRunOptions, 'watchers' | 'signal' | 'maxPages'>,
  work: (live: LiveSpider) => Promise<T>,
): Promise<T> {
  const { clock, frontier, fleet, fleetControl } = stores
  return withLiveRun({ kind: 'spider', name, command: 'run', watchers, signal, clock, maxPages }, (run) => {
    const items = new RecentItems()
    const pending = new BackgroundValue(clock, () => frontier.pending(clock.now()))
    run.onClose(() => pending.close())
    run.describe(() => {
      const counts = pending.latest
      return {
        rounds: [],
        items: items.report(),
        ...(counts !== undefined && { due: counts.ready + counts.delayed }),
      }
    })
    if (fleet !== undefined && fleetControl !== undefined) controlFleet(run, fleet, fleetControl)
    return work({
      run,
      onStored: (batch) => items.add(batch, clock.now()),
      onFailure: ({ url, code, reason, retryAt }) =>
        run.monitor.failed({
          at: Math.round(clock.now()),
          ...{ url, host: hostOf(url), code, reason: firstLine(reason) },
          ...withoutUndefined({ retryAt }),
        }),
      offerRetries: (onRequeued) =>
        run.offer({ 'retry-failed': ({ url }) => retryFailed(stores, url, onRequeued) }),
    })
  })
}

async function retryFailed(
  { deadLetters }: SpiderStores,
  url: string | undefined,
  onRequeued: () => void,
): Promise<LiveActionResult> {
  const retried = await deadLetters.retryFailed(withoutUndefined({ url }))
  if (retried > 0) onRequeued()
  const which = url === undefined ? 'no request has failed' : `${url} is not among the failed requests`
  const message =
    retried === 0
      ? which
      : `${formatCount(retried, 'failed request')} ${retried === 1 ? 'is' : 'are'} queued again`
  return { ok: retried > 0, message, data: { retried } }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
