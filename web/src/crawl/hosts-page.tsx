import type { HostFacts, HostFactsSort, KnownHosts } from '../../../src/adapters/serve/responses.ts'
import { formatCount, formatDuration, formatNumber } from '../parts/format.ts'
import { FreshnessNote } from '../parts/freshness-note.tsx'
import { PlaceLink } from '../parts/links.tsx'
import { goTo, placeOf, useTitle } from '../parts/location.ts'
import { Notice } from '../parts/notice.tsx'
import { safeText } from '../parts/safe-text.ts'
import { SortHeader } from '../parts/sort-header.tsx'
import { useResponse } from '../parts/use-response.ts'

const PER_PAGE = 50

/** The view of the table, which the address holds. */
interface HostsView {
  readonly sort: HostFactsSort
  readonly order: 'asc' | 'desc'
  readonly contains: string
  readonly page: number
}

/** The hosts of the crawl with what the HostDb knows about them: sorted, filtered and paged by the server. */
export function HostsPage({ parameters }: { readonly parameters: URLSearchParams }) {
  const view = viewOf(parameters)
  const { value, problem } = useResponse<KnownHosts>(
    placeOf('/api/hosts', {
      ...{ sort: view.sort, descending: String(view.order === 'desc'), contains: view.contains },
      ...{ offset: (view.page - 1) * PER_PAGE, limit: PER_PAGE },
    }),
  )
  useTitle('Hosts')
  const change = (changes: Partial<HostsView>, replace = true) =>
    goTo(placeOf('/hosts', { ...view, page: 1, ...changes }), replace)
  return (
    <div class="page">
      <div class="page-head">
        <h1>Hosts</h1>
        {value?.list !== undefined && <p class="lead">{formatCount(value.list.total, 'host')}</p>}
        {value !== undefined && <FreshnessNote freshness={value.freshness} />}
      </div>
      <div class="panels">
        <section class="panel wide" aria-label="Hosts">
          <div class="panel-head">
            <input
              type="search"
              class="filter"
              placeholder="Filter hosts"
              aria-label="Filter hosts"
              maxLength={300}
              value={view.contains}
              onInput={({ currentTarget }) => change({ contains: currentTarget.value })}
            />
          </div>
          {problem !== undefined ? (
            <p class="warning-text">{problem}</p>
          ) : value === undefined ? (
            <p class="loading">Loading…</p>
          ) : value.list === undefined ? (
            <Notice title="There is no HostDb">
              <p>
                It needs the engine DuckDB. In a crawl of an earlier version,{' '}
                <code>orbweaver updatehostdb --rebuild</code> creates it.
              </p>
            </Notice>
          ) : value.list.hosts.length === 0 ? (
            <p class="quiet">
              {view.contains === '' ? 'No host is known yet.' : 'No host contains this text.'}
            </p>
          ) : (
            <FactsTable hosts={value.list.hosts} view={view} change={change} />
          )}
          {value?.list !== undefined && value.list.total > PER_PAGE && (
            <Pages view={view} total={value.list.total} change={change} />
          )}
        </section>
      </div>
    </div>
  )
}

type Change = (changes: Partial<HostsView>, replace?: boolean) => void

interface FactsTableProps {
  readonly hosts: readonly HostFacts[]
  readonly view: HostsView
  readonly change: Change
}

function FactsTable({ hosts, view, change }: FactsTableProps) {
  const sortBy = (sort: HostFactsSort) => () => {
    const reversed = view.order === 'asc' ? 'desc' : 'asc'
    change({ sort, order: sort === view.sort ? reversed : sort === 'host' ? 'asc' : 'desc' })
  }
  return (
    <div class="scroll">
      <table class="list">
        <thead>
          <tr>
            {COLUMNS.map(({ sort, text }) => (
              <SortHeader
                key={sort}
                text={text}
                order={view.sort === sort ? view.order : undefined}
                column={sort === 'host' ? '' : 'number'}
                onSort={sortBy(sort)}
              />
            ))}
            <th scope="col" class="optional">
              robots.txt
            </th>
          </tr>
        </thead>
        <tbody>
          {hosts.map((host) => (
            <tr key={host.host}>
              {COLUMNS.map(({ sort, cell }) =>
                sort === 'host' ? (
                  <td key={sort}>
                    <PlaceLink to={placeOf('/host', { host: host.host })}>{safeText(host.host)}</PlaceLink>
                  </td>
                ) : (
                  <td key={sort} class="number">
                    {cell(host)}
                  </td>
                ),
              )}
              <td class="optional">{host.robots ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface Column {
  readonly sort: HostFactsSort
  readonly text: string
  cell(host: HostFacts): string
}

const COLUMNS: readonly Column[] = [
  { sort: 'host', text: 'Host', cell: ({ host }) => host },
  { sort: 'urls', text: 'URLs', cell: ({ urls }) => formatNumber(urls) },
  { sort: 'fetched', text: 'Fetched', cell: ({ fetched }) => formatNumber(fetched) },
  { sort: 'unfetched', text: 'Unfetched', cell: ({ unfetched }) => formatNumber(unfetched) },
  { sort: 'gone', text: 'Gone', cell: ({ gone }) => formatNumber(gone) },
  {
    sort: 'failuresInARow',
    text: 'Failures in a row',
    cell: ({ failuresInARow }) => formatNumber(failuresInARow),
  },
  {
    sort: 'averageMs',
    text: 'Response time',
    cell: ({ averageMs }) => (averageMs === undefined ? '–' : formatDuration(averageMs)),
  },
  {
    sort: 'linkScore',
    text: 'LinkRank',
    cell: ({ linkScore }) => (linkScore === undefined ? '–' : String(Number(linkScore.toPrecision(3)))),
  },
]

function Pages({
  view,
  total,
  change,
}: {
  readonly view: HostsView
  readonly total: number
  readonly change: Change
}) {
  const pages = Math.ceil(total / PER_PAGE)
  return (
    <p class="pages">
      <button
        type="button"
        class="quiet-button"
        disabled={view.page <= 1}
        onClick={() => change({ page: view.page - 1 }, false)}
      >
        Previous
      </button>{' '}
      Page {formatNumber(view.page)} of {formatNumber(pages)}{' '}
      <button
        type="button"
        class="quiet-button"
        disabled={view.page >= pages}
        onClick={() => change({ page: view.page + 1 }, false)}
      >
        Next
      </button>
    </p>
  )
}

function viewOf(parameters: URLSearchParams): HostsView {
  const sort = COLUMNS.find((column) => column.sort === parameters.get('sort'))?.sort ?? 'urls'
  const page = Number(parameters.get('page'))
  return {
    sort,
    order: parameters.get('order') === 'asc' ? 'asc' : 'desc',
    contains: parameters.get('contains') ?? '',
    page: Number.isInteger(page) && page >= 1 ? page : 1,
  }
}
