import type { CrawlList, CrawlSummary } from '../../../src/adapters/serve/responses.ts'
import type { LiveReport } from '../../../src/domain/live/live-report.ts'
import { formatNumber, formatWholeDuration } from '../parts/format.ts'
import { goTo } from '../parts/location.ts'
import { RelativeTime, useNow } from '../parts/now.tsx'
import { cutEnd, cutMiddle, safeText } from '../parts/safe-text.ts'
import { type LiveView, livePlace } from './live-view.ts'
import { type CrawlState, StateBadge, stateSentence } from './state-badge.tsx'

interface LiveHeaderProps {
  readonly list: CrawlList
  readonly entry: CrawlSummary
  readonly view: LiveView
  readonly state: CrawlState
  readonly report: LiveReport | undefined
}

/** The name, the state and the activity of a crawl, and the choice of another one. */
export function LiveHeader({ list, entry, view, state, report }: LiveHeaderProps) {
  const name = safeText(entry.name)
  return (
    <div class="live-title">
      <div class="live-name">
        {list.crawls.length > 1 ? <CrawlSwitcher list={list} entry={entry} view={view} /> : null}
        <h1 class={list.crawls.length > 1 ? 'visually-hidden' : ''} title={cutEnd(name, 1_000)}>
          {cutMiddle(name, 60)}
        </h1>
        <StateBadge state={state} />
        <p class="visually-hidden" role="status">
          {stateSentence(state)}
        </p>
      </div>
      {report === undefined ? null : <ActivityLine report={report} state={state} />}
    </div>
  )
}

function ActivityLine({ report, state }: { readonly report: LiveReport; readonly state: CrawlState }) {
  const now = useNow()
  const { activity, etaSeconds, startedAt, at, command, pid, kind } = report
  const isActive = state === 'running' || state === 'paused' || state === 'stopping'
  const parts = [
    isActive && activity !== undefined ? (
      <span class="activity">{safeText(cutEnd(activity, 300))}</span>
    ) : undefined,
    isActive && etaSeconds !== undefined ? (
      <strong key="eta">about {formatWholeDuration(etaSeconds * 1_000)} left</strong>
    ) : undefined,
    isActive ? (
      <span>
        {kind === 'fleet' ? 'started' : `${safeText(command)} started`} <RelativeTime at={startedAt} />
      </span>
    ) : (
      <span>
        last report <RelativeTime at={at} />, after {formatWholeDuration(at - startedAt)}
      </span>
    ),
    pid > 0 && isActive && kind !== 'fleet' ? <span>pid {pid}</span> : undefined,
    isActive && now - report.lastProgressAt > STALLED_MS && state === 'running' ? (
      <strong class="warning-text">
        no response since <RelativeTime at={report.lastProgressAt} />
      </strong>
    ) : undefined,
  ].filter((part) => part !== undefined)
  return (
    <p class="lead facts-line">
      {parts.map((part, i) => (
        <span key={i}>{part}</span>
      ))}
    </p>
  )
}

/** A running crawl without a response for this time is worth a note. */
const STALLED_MS = 60_000

interface CrawlSwitcherProps {
  readonly list: CrawlList
  readonly entry: CrawlSummary
  readonly view: LiveView
}

function CrawlSwitcher({ list, entry, view }: CrawlSwitcherProps) {
  return (
    <select
      class="crawl-switcher"
      aria-label={`Crawl, ${formatNumber(list.crawls.length)} in total`}
      value={entry.id}
      onChange={({ currentTarget }) =>
        goTo(livePlace({ ...view, crawl: currentTarget.value, page: 1, contains: '' }))
      }
    >
      {list.crawls.map(({ id, name, running }) => (
        <option key={id} value={id}>
          {`${cutMiddle(safeText(name), 50)}${running === undefined ? '' : ` (${running.state})`}`}
        </option>
      ))}
    </select>
  )
}
