import type { HostQuery } from '../../../src/domain/live/live-report.ts'
import { placeOf } from '../parts/location.ts'

/** What the live page shows, as in its address. */
export interface LiveView {
  /** Id of the crawl; `undefined` if the server has only one. */
  readonly crawl: string | undefined
  readonly range: 'recent' | 'run'
  readonly sort: HostSort
  readonly order: 'asc' | 'desc'
  /** Page of the host table, from 1. */
  readonly page: number
  /** Filter of the host table. */
  readonly contains: string
}

export type HostSort = HostQuery['sort']

/** The names of the columns of the host table. */
export const HOST_SORTS: ReadonlyArray<readonly [HostSort, string]> = [
  ['host', 'Host'],
  ['queued', 'Queue'],
  ['inFlight', 'In flight'],
  ['nextAllowedAt', 'Next request'],
  ['delayMs', 'Delay'],
  ['requests', 'Requests'],
  ['errors', 'Errors'],
  ['averageMs', 'Average time'],
]

/** Rows of the host table on one page. On a narrow screen, each host takes several lines. */
export function hostsPerPage(isNarrow: boolean): number {
  return isNarrow ? 10 : 25
}

export function liveView(parameters: URLSearchParams): LiveView {
  const page = Number(parameters.get('page'))
  const sort = HOST_SORTS.find(([name]) => name === parameters.get('sort'))?.[0] ?? 'queued'
  return {
    crawl: parameters.get('crawl') ?? undefined,
    range: parameters.get('range') === 'run' ? 'run' : 'recent',
    sort,
    order: parameters.get('order') === 'asc' ? 'asc' : 'desc',
    page: Number.isInteger(page) && page > 0 ? page : 1,
    contains: parameters.get('contains') ?? '',
  }
}

/** The place of the page that shows a view. */
export function livePlace({ crawl, range, sort, order, page, contains }: LiveView): string {
  return placeOf('/live', {
    crawl,
    range: range === 'run' ? range : undefined,
    sort: sort === 'queued' ? undefined : sort,
    order: order === 'desc' ? undefined : order,
    page: page === 1 ? undefined : page,
    contains,
  })
}
