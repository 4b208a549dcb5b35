import { useEffect, useState } from 'preact/hooks'
import type { CrawlList, CrawlSummary } from '../../../src/adapters/serve/responses.ts'
import { PlaceLink } from '../parts/links.tsx'
import { placeOf, useTitle } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { Now } from '../parts/now.tsx'
import { safeText } from '../parts/safe-text.ts'
import type { ApiState } from '../parts/use-response.ts'
import { ActionBar } from './action-bar.tsx'
import { FailuresPanel } from './failures-panel.tsx'
import { FigureTiles } from './figure-tiles.tsx'
import { FleetPanel } from './fleet-panel.tsx'
import { HostsPanel } from './hosts-panel.tsx'
import { ItemsPanel } from './items-panel.tsx'
import { LiveHeader } from './live-header.tsx'
import { type LiveView, liveView } from './live-view.ts'
import { OutcomesPanel } from './outcomes-panel.tsx'
import { ProcessPanel } from './process-panel.tsx'
import { ResponseTimesPanel } from './response-times-panel.tsx'
import { RoundsPanel } from './rounds-panel.tsx'
import type { CrawlState } from './state-badge.tsx'
import { ThroughputPanel } from './throughput-panel.tsx'
import { useActions } from './use-actions.ts'
import { type LiveData, useLive } from './use-live.ts'

interface LivePageProps {
  readonly parameters: URLSearchParams
  readonly crawls: ApiState<CrawlList>
}

/** A running crawl, every second. */
export function LivePage({ parameters, crawls: { value, problem } }: LivePageProps) {
  const view = liveView(parameters)
  useTitle('Live')
  if (value === undefined)
    return problem === undefined ? (
      <p class="loading">Loading…</p>
    ) : (
      <Notice title="Request failed">
        <p>{problem}</p>
      </Notice>
    )
  const entry = view.crawl === undefined ? value.crawls[0] : value.crawls.find(({ id }) => id === view.crawl)
  if (entry === undefined)
    return (
      <Notice title="There is no such crawl">
        <p>
          <PlaceLink to="/live">Show the first crawl of this server</PlaceLink>
        </p>
      </Notice>
    )
  return <LiveCrawlView key={entry.id} list={value} entry={entry} view={view} />
}

interface LiveCrawlViewProps {
  readonly list: CrawlList
  readonly entry: CrawlSummary
  readonly view: LiveView
}

function LiveCrawlView({ list, entry, view }: LiveCrawlViewProps) {
  const live = useLive(view.crawl)
  const now = useServerTime(live)
  const { report } = live
  const state = crawlState(live)
  const isActive = live.state === 'running' && report?.state !== 'finished'
  // Workers of a fleet may not report them.
  const hasOutcomes = report?.kind !== 'fleet' || Object.keys(report.outcomes).length > 0
  const actions = useActions(view.crawl, {
    access: list.access,
    supported: isActive ? (report?.actions ?? []) : [],
  })
  return (
    <Now.Provider value={now}>
      <div class="page live">
        <ConnectionNote live={live} />
        <div class="live-head">
          <LiveHeader {...{ list, entry, view, state, report }} />
          {report !== undefined && isActive && <ActionBar {...{ report, actions, access: list.access }} />}
        </div>
        {report === undefined ? (
          live.state === undefined ? (
            <p class="loading">Loading…</p>
          ) : (
            <NotRunning entry={entry} />
          )
        ) : (
          <>
            <FigureTiles report={report} />
            <div class="panels">
              <ThroughputPanel report={report} points={live.points} view={view} />
              {report.fleet !== undefined && <FleetPanel fleet={report.fleet} />}
              {report.items !== undefined && (
                <ItemsPanel items={report.items} rejected={report.totals.rejectedItems} />
              )}
              {hasOutcomes && <OutcomesPanel report={report} isWide={report.kind === 'fleet'} />}
              {hasOutcomes && report.kind !== 'fleet' && (
                <ResponseTimesPanel histogram={report.responseTimes} />
              )}
              <FailuresPanel {...{ report, entry, actions }} />
              <HostsPanel {...{ report, entry, view, actions, isActive }} />
              {report.rounds.length > 0 && <RoundsPanel rounds={report.rounds} />}
              {report.process !== undefined && (
                <ProcessPanel process={report.process} isWide={report.rounds.length === 0} />
              )}
            </div>
          </>
        )}
      </div>
    </Now.Provider>
  )
}

function crawlState({ state, report }: LiveData): CrawlState {
  if (report === undefined) return state === undefined ? 'connecting' : 'not-running'
  if (state === 'running' || report.state === 'finished') return report.state
  return 'ended'
}

/** The time of the server, which moves on between reports, and when there are none. */
function useServerTime({ report, receivedAt }: LiveData): number {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return report === undefined ? Date.now() : report.at + Math.max(0, Date.now() - receivedAt)
}

function ConnectionNote({ live: { connection, problem, report, state } }: { readonly live: LiveData }) {
  // The server of `crawl --serve` ends with its crawl.
  const hasEnded = report?.state === 'stopping' || report?.state === 'finished' || state === 'idle'
  if (connection === 'lost' && report !== undefined && hasEnded)
    return (
      <p class="banner" role="alert">
        <strong>The crawl has ended</strong>, and its server cannot be reached any more. These are the last
        figures.
      </p>
    )
  if (connection === 'lost')
    return (
      <p class="banner" role="alert">
        <strong>Connection lost.</strong> The figures are not current. The page reconnects by itself when the
        server can be reached.
      </p>
    )
  if (problem === undefined) return null
  return (
    <p class="banner" role="alert">
      {safeText(problem)}
    </p>
  )
}

function NotRunning({ entry }: { readonly entry: CrawlSummary }) {
  const hasReports = entry.capabilities.includes('reports')
  return (
    <Notice title="This crawl is not running">
      <p>This page shows it as soon as it runs.</p>
      {hasReports && (
        <p>
          The <PlaceLink to={placeOf('/statistics')}>statistics</PlaceLink> show what it has stored.
        </p>
      )}
    </Notice>
  )
}
