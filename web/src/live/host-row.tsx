import type { LiveHost } from '../../../src/domain/live/live-report.ts'
import { formatDuration, formatExactTime, formatNumber, formatShare } from '../parts/format.ts'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf } from '../parts/location.ts'
import { RelativeTime, useNow } from '../parts/now.tsx'
import { cutEnd, cutMiddle, safeText } from '../parts/safe-text.ts'

interface HostRowProps {
  readonly host: LiveHost
  readonly hasReports: boolean
  readonly isFleet: boolean
  /** `undefined`: the delay cannot be changed. */
  readonly onEdit: (() => void) | undefined
}

export function HostRow({ host, hasReports, isFleet, onEdit }: HostRowProps) {
  // Workers of a fleet do not report them for each host.
  const { requests = 0, errors = 0 } = host
  const name = safeText(host.host)
  const shown = cutMiddle(name, 48)
  return (
    <tr>
      <th scope="row" class="host-cell" title={cutEnd(name, 1_000)}>
        {hasReports ? (
          <PlaceLink to={placeOf('/host', { host: host.host })}>{shown}</PlaceLink>
        ) : (
          <span>{shown}</span>
        )}
      </th>
      <td class="number" data-label="Queue">
        {formatNumber(host.queued)}
      </td>
      <td class="number" data-label="In flight">
        {formatNumber(host.inFlight)}
      </td>
      <td class="when next-cell" data-label="Next">
        <NextRequest host={host} />
      </td>
      <td class="when delay-cell" data-label="Delay">
        {formatDuration(host.delayMs)} <span class="source">{DELAY_SOURCES[host.delaySetBy]}</span>
        {onEdit !== undefined && (
          <button
            type="button"
            class="link-button"
            aria-label={`Change the delay of ${shown}`}
            onClick={onEdit}
          >
            Change
          </button>
        )}
      </td>
      {!isFleet && (
        <td class="number" data-label="Requests">
          {formatNumber(requests)}
        </td>
      )}
      {!isFleet && (
        <td class="number" data-label="Errors">
          <span class={errors > 0 && errors * 5 >= requests ? 'warning-text' : ''}>
            {requests === 0 ? '–' : formatShare(errors, requests)}
          </span>
        </td>
      )}
      <td class="number" data-label="Time">
        {host.averageMs > 0 ? formatDuration(host.averageMs) : '–'}
      </td>
      <td class="when robots-cell" data-label="robots">
        <Robots robots={host.robots} />
      </td>
      {isFleet && (
        <td class="when worker-cell" data-label="Worker">
          {host.worker === undefined ? <span class="quiet">none</span> : cutMiddle(safeText(host.worker), 24)}
        </td>
      )}
    </tr>
  )
}

const DELAY_SOURCES: Readonly<Record<LiveHost['delaySetBy'], string>> = {
  config: 'config',
  robots: 'robots.txt',
  'retry-after': 'Retry-After',
  'back-off': 'back-off',
  latency: 'response time',
  operator: 'set here',
}

function NextRequest({ host }: { readonly host: LiveHost }) {
  const now = useNow()
  const { parkedUntil, parkedReason, nextAllowedAt, queued, inFlight } = host
  if (parkedUntil !== undefined && parkedUntil > now)
    return (
      <span class="warning-text" title={safeText(cutEnd(parkedReason ?? '', 500))}>
        parked, <RelativeTime at={parkedUntil} />
      </span>
    )
  if (queued + inFlight === 0) return <span class="quiet">queue empty</span>
  return <RelativeTime at={nextAllowedAt} past="now" />
}

function Robots({ robots: { state, fetchedAt, crawlDelayMs, reason, retryAt } }: Pick<LiveHost, 'robots'>) {
  if (state === 'unknown') return <span class="quiet">not fetched</span>
  if (state === 'failed')
    return (
      <span class="warning-text" title={safeText(cutEnd(reason ?? '', 500))}>
        failed{retryAt !== undefined && ', retry '}
        {retryAt !== undefined && <RelativeTime at={retryAt} past="now" />}
      </span>
    )
  return (
    <span title={fetchedAt === undefined ? '' : `fetched ${formatExactTime(fetchedAt)}`}>
      {state === 'missing' ? 'none' : 'found'}
      {crawlDelayMs !== undefined && <span class="source"> delay {formatDuration(crawlDelayMs)}</span>}
    </span>
  )
}
