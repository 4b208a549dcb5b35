import { resolveBySystem } from '../adapters/http/resolve.ts'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, formatNumber } from '../base/format-values.ts'
import { Interrupted, keeping } from '../base/interrupted.ts'
import { runLimited } from '../base/run-limited.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HostCheck, HostChoice, PurgeResult } from '../domain/crawldb/host-db.ts'
import { type CrawlSession, chosenSegments } from './crawl-session.ts'
import { hostDbMissing } from './host-delay-expression.ts'

/** Options of {@link Crawl.updateHosts}. */
export interface UpdateHostsOptions {
  /** Compute the facts of all fetches again from the stored segments. @default false */
  readonly rebuild?: boolean
  /** Resolve the names of these hosts. @default none */
  readonly check?: HostChoice
  /** Names that are resolved at the same time. @default 25 */
  readonly checkThreads?: number
  /** Do not check a host again that was checked within this number of days. @default 0 */
  readonly recheckDays?: number
  /** Mark the URLs of hosts with at least this number of failures in a row as gone. @default hosts are kept */
  readonly purgeFailed?: number
  /** Make the purged URLs of this host due. */
  readonly restoreHost?: string
  /** Stops the operation, which fails; names that were checked are stored. */
  readonly signal?: AbortSignal
}

/** Result of {@link Crawl.updateHosts}. */
export interface UpdatedHosts {
  readonly hosts: number
  readonly checked?: { readonly resolved: number; readonly failed: number }
  readonly purged?: PurgeResult
  /** URLs of `restoreHost` that are due again. */
  readonly restored?: number
}

export async function updateHostsStep(
  session: CrawlSession,
  options: UpdateHostsOptions,
): Promise<UpdatedHosts> {
  const { hostDb, settings, rules, path } = session
  if (hostDb === undefined) throw hostDbMissing(path)
  const { rebuild = false, check, purgeFailed, restoreHost, signal } = options
  if (check !== undefined && !['all', 'new', 'known', 'failed'].includes(check))
    throw new ConfigurationError('OPTION_INVALID', 'check must be all, new, known or failed')
  const segments = await chosenSegments(session.segments)
  if (rebuild) await hostDb.rebuild(segments, signal)
  const { numericFields, textFields } = settings.hostDb
  const request = { segments, numericFields, textFields, ...withoutUndefined({ signal }) }
  const kept = rebuild ? 'the facts of fetches were computed again, percentiles not' : 'nothing was changed'
  const hosts = await keeping(kept, () => hostDb.aggregate(request))
  const now = wallClock.now()
  const restored = restoreHost === undefined ? undefined : await hostDb.restore(restoreHost, now)
  const checked = check === undefined ? undefined : await checkNames(session, check, options)
  const until = now + rules.schedule.maxIntervalSeconds * 1000
  const purged =
    purgeFailed === undefined ? undefined : await hostDb.purgeFailed({ minFailures: purgeFailed, until })
  return {
    hosts,
    ...(checked !== undefined && { checked }),
    ...(purged !== undefined && { purged }),
    ...(restored !== undefined && { restored }),
  }
}

async function checkNames(
  { hostDb, path }: CrawlSession,
  which: HostChoice,
  { checkThreads = 25, recheckDays = 0, signal }: UpdateHostsOptions,
): Promise<{ resolved: number; failed: number }> {
  if (hostDb === undefined) throw hostDbMissing(path)
  const now = wallClock.now()
  const hosts = await hostDb.hostsToCheck(which, now - recheckDays * DAY_MS)
  const checks: HostCheck[] = []
  await runLimited(hosts, checkThreads, async (host) => {
    if (signal?.aborted) return
    // An address in brackets is one already.
    const found = host.startsWith('[') || (await resolveBySystem(host)).ok
    checks.push({ host, resolved: found })
  })
  await hostDb.recordChecks(checks, now)
  if (signal?.aborted)
    throw new Interrupted(
      `interrupted; the hosts are updated, ${formatNumber(checks.length)} of ${formatCount(hosts.length, 'name')} checked: run the command again`,
    )
  const resolved = checks.filter((check) => check.resolved).length
  return { resolved, failed: checks.length - resolved }
}

const DAY_MS = 86_400_000
