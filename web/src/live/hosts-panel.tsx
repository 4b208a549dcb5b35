import { useEffect, useRef, useState } from 'preact/hooks'
import type { CrawlSummary, HostList } from '../../../src/adapters/serve/responses.ts'
import type { LiveHost, LiveReport } from '../../../src/domain/live/live-report.ts'
import { formatCount, formatNumber } from '../parts/format.ts'
import { goTo, placeOf } from '../parts/location.ts'
import { SortHeader } from '../parts/sort-header.tsx'
import { useIsNarrow } from '../parts/use-is-narrow.ts'
import { useKeys } from '../parts/use-keys.ts'
import { useResponse } from '../parts/use-response.ts'
import { DelayEditor } from './delay-editor.tsx'
import { HostRow } from './host-row.tsx'
import { HOST_SORTS, type HostSort, hostsPerPage, type LiveView, livePlace } from './live-view.ts'
import type { Actions } from './use-actions.ts'

interface HostsPanelProps {
  readonly report: LiveReport
  readonly entry: CrawlSummary
  readonly view: LiveView
  readonly actions: Actions
  /** The crawl runs; otherwise the last list stays. */
  readonly isActive: boolean
}

/** The hosts of the crawl: sorted, filtered and paged by the crawl itself. */
export function HostsPanel({ report, entry, view, actions, isActive }: HostsPanelProps) {
  const limit = hostsPerPage(useIsNarrow())
  const { value, problem } = useResponse<HostList>(
    isActive ? hostsAddress(view, limit) : undefined,
    REFRESH_MS,
  )
  const last = useRef<HostList>(undefined)
  if (value !== undefined) last.current = value
  const list = last.current
  const [edited, setEdited] = useState<LiveHost>()
  const change = (changes: Partial<LiveView>, replace = true) =>
    goTo(livePlace({ ...view, page: 1, ...changes }), replace)
  const pages = Math.max(1, Math.ceil((list?.total ?? 0) / limit))
  const toPage = (page: number) => page >= 1 && page <= pages && page !== view.page && change({ page })
  // The window is wider than before, or hosts are gone.
  const isBeyond = list !== undefined && view.page > pages
  useEffect(() => {
    if (isBeyond) change({ page: pages })
  }, [isBeyond])
  const filter = useRef<HTMLInputElement>(null)
  useKeys({
    '/': () => filter.current?.focus(),
    n: () => toPage(view.page + 1),
    p: () => toPage(view.page - 1),
  })

  const isFleet = report.kind === 'fleet'
  const canEdit = actions.can('set-delay')
  // Workers of a fleet do not report these for each host.
  const sorts = HOST_SORTS.filter(([name]) => !isFleet || (name !== 'requests' && name !== 'errors'))
  const sortBy = (sort: HostSort) => () =>
    change({ sort, order: sort === view.sort ? reverse(view.order) : sort === 'host' ? 'asc' : 'desc' })
  return (
    <section class="panel wide" aria-labelledby="hosts">
      <div class="panel-head">
        <h2 id="hosts">
          Hosts <span class="aside number">{hostFacts(report, list)}</span>
        </h2>
        <div class="table-tools">
          <label class="narrow-only">
            <span class="visually-hidden">Sort by</span>
            <select
              value={`${view.sort} ${view.order}`}
              onChange={({ currentTarget }) => {
                const [sort, order] = currentTarget.value.split(' ')
                change({ sort: sort as HostSort, order: order as LiveView['order'] })
              }}
            >
              {sorts.flatMap(([name, text]) =>
                (['desc', 'asc'] as const).map((order) => (
                  <option key={`${name} ${order}`} value={`${name} ${order}`}>
                    {text} {order === 'asc' ? '▲' : '▼'}
                  </option>
                )),
              )}
            </select>
          </label>
          <input
            ref={filter}
            type="search"
            class="filter"
            placeholder="Filter hosts"
            aria-label="Filter hosts"
            maxLength={300}
            value={view.contains}
            onInput={({ currentTarget }) => change({ contains: currentTarget.value })}
          />
        </div>
      </div>
      {problem !== undefined && <p class="warning-text">{problem}</p>}
      {list === undefined ? (
        <p class="loading">{isActive ? 'Loading…' : 'The hosts are listed while the crawl runs.'}</p>
      ) : list.hosts.length === 0 ? (
        <p class="quiet">{view.contains === '' ? 'No host is known yet.' : 'No host contains this text.'}</p>
      ) : (
        <div class="scroll">
          <table class="list cards host-table">
            <thead>
              <tr>
                {sorts.map(([name, text]) => (
                  <SortHeader
                    key={name}
                    text={text}
                    order={view.sort === name ? view.order : undefined}
                    column={COLUMNS[name] ?? 'number'}
                    onSort={sortBy(name)}
                  />
                ))}
                <th scope="col" class="wide-column robots-column">
                  robots.txt
                </th>
                {isFleet && (
                  <th scope="col" class="wide-column">
                    Worker
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {list.hosts.map((host) => (
                <HostRow
                  key={host.host}
                  host={host}
                  hasReports={entry.capabilities.includes('reports')}
                  isFleet={isFleet}
                  onEdit={canEdit ? () => setEdited(host) : undefined}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {pages > 1 && (
        <nav class="table-pager" aria-label="Pages of hosts">
          <button type="button" disabled={view.page <= 1} onClick={() => toPage(view.page - 1)}>
            ← Previous
          </button>
          <span class="number" role="status">
            Page {formatNumber(view.page)} of {formatNumber(pages)}
          </span>
          <button type="button" disabled={view.page >= pages} onClick={() => toPage(view.page + 1)}>
            Next →
          </button>
        </nav>
      )}
      {edited !== undefined && (
        <DelayEditor key={edited.host} host={edited} actions={actions} onClose={() => setEdited(undefined)} />
      )}
    </section>
  )
}

/** Classes of columns; the others have narrow figures. */
const COLUMNS: Partial<Record<HostSort, string>> = {
  host: 'host-column',
  nextAllowedAt: 'wide-column',
  delayMs: 'delay-column',
  averageMs: 'number middle-column',
}

const REFRESH_MS = 2_000

function hostsAddress({ crawl, sort, order, page, contains }: LiveView, limit: number): string {
  const descending = String(order === 'desc')
  return placeOf('/api/live/hosts', {
    ...{ crawl, sort, descending, contains },
    ...{ offset: (page - 1) * limit, limit },
  })
}

function reverse(order: LiveView['order']): LiveView['order'] {
  return order === 'asc' ? 'desc' : 'asc'
}

function hostFacts({ hosts }: LiveReport, list: HostList | undefined): string {
  return [
    formatCount(list?.total ?? hosts.known, 'host'),
    ...(hosts.parked > 0 ? [`${formatNumber(hosts.parked)} parked`] : []),
    ...(list?.skipped ? [`${formatNumber(list.skipped)} not listed`] : []),
    ...(hosts.robotsFailed > 0 ? [`${formatNumber(hosts.robotsFailed)} with a failed robots.txt`] : []),
  ].join(' · ')
}
