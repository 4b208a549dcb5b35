import type { FrontierOrder, LeasedRequest } from '../../domain/frontier/frontier.ts'
import { malformedArguments } from './settle-calls.ts'
import { numberIn, readRequest } from './stored-request.ts'

export interface ReadLease {
  readonly requests: ReadonlyArray<{ readonly host: string; readonly leased: LeasedRequest }>
  /** Of hosts that are new to this process. */
  readonly throttles: ReadonlyArray<{ readonly host: string; readonly json: string; readonly lostAt: string }>
  /** Leased values that are not requests: the arguments to settle them with. */
  readonly malformed: ReadonlyArray<readonly string[]>
  /** Of the crawl; '' none. */
  readonly state: string
  /** It was as much as one call hands out. */
  readonly mayHaveMore: boolean
}

/** Reads the reply of `scripts/lease.lua`. */
export function readLease(reply: unknown, order: FrontierOrder): ReadLease {
  const [, idStart, taken, hosts, state, more] = reply as [
    string,
    string,
    unknown[],
    string[],
    string,
    number,
  ]
  const requests: Array<{ host: string; leased: LeasedRequest }> = []
  const malformed: string[][] = []
  for (let i = 0; i < taken.length; i += 5) {
    const [arrival = '', attempt, score, host = '', json = ''] = taken.slice(i, i + 5).map(String)
    const id = idStart + arrival
    const request = readRequest(json)
    if (request === undefined) malformed.push(malformedArguments(id, host, json))
    else {
      const rank = rankOf(order, Number(arrival), Number(score))
      requests.push({ host, leased: { id, request, attempt: Math.max(1, numberIn(attempt)), rank } })
    }
  }
  // A reply that is repeated has them by arrival.
  requests.sort((a, b) => b.leased.rank - a.leased.rank || (a.leased.id < b.leased.id ? -1 : 1))
  const throttles = []
  for (let i = 0; i < hosts.length; i += 3) {
    const [host = '', json = '', lostAt = ''] = hosts.slice(i, i + 3)
    throttles.push({ host, json, lostAt })
  }
  return { requests, throttles, malformed, state, mayHaveMore: more === 1 }
}

/** @param score the negated priority */
function rankOf(order: FrontierOrder, arrival: number, score: number): number {
  const rank = order === 'hosts' || order === 'priority' ? 0 - score : order === 'lifo' ? arrival : -arrival
  return Number.isFinite(rank) ? rank : 0
}
