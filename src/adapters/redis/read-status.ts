import type { JsonObject } from '../../base/json.ts'
import type { FleetCounts, FleetWorker } from '../../domain/frontier/fleet.ts'
import { isRecord, numberIn, parseJson } from './stored-request.ts'
import { identityOf } from './worker-session.ts'

/** A worker in one shard. */
export interface StoredWorker extends FleetWorker {
  /** The same in all shards. */
  readonly identity: string
}

/** Reads the reply of `scripts/workers.lua`, the oldest worker first. */
export function readWorkers(reply: unknown): StoredWorker[] {
  const workers = (reply as unknown[][]).map(
    ([fence, name, joinedAt, heardAt, expiresAt, leased, hosts, json]) => {
      const status = parseJson(String(json))
      return {
        identity: identityOf(String(fence)),
        fence: numberIn(/^\d*/.exec(String(fence))?.[0]),
        name: String(name),
        joinedAt: numberIn(joinedAt),
        heardAt: numberIn(heardAt),
        expiresAt: numberIn(expiresAt),
        leased: numberIn(leased),
        hosts: numberIn(hosts),
        ...(isRecord(status) && { status: status as JsonObject }),
      }
    },
  )
  return workers.sort((a, b) => a.fence - b.fence)
}

export interface ReadCounts {
  readonly counts: FleetCounts
  /** Of the crawl; '' none. */
  readonly state: string
  /** When something was last added or settled (ms since the epoch); 0: never. */
  readonly activeAt: number
  /** Failed requests by code, and retries by reason, since the crawl began. */
  readonly failures: Readonly<Record<string, number>>
  readonly retries: Readonly<Record<string, number>>
}

/** Reads the reply of `scripts/counts.lua`. What was never counted is 0. */
export function readCounts(reply: unknown): ReadCounts {
  const list = reply as unknown[]
  const counts = { ...ZERO }
  const kinds = { failed: new Map<string, number>(), retried: new Map<string, number>() }
  let state = ''
  let activeAt = 0
  for (let i = 0; i < list.length; i += 2) {
    const name = String(list[i])
    const number = numberIn(list[i + 1])
    const [, what, kind = ''] = /^(failed|retried) (.{1,100})$/.exec(name) ?? []
    if (name === 'state') state = String(list[i + 1])
    else if (name === 'activeAt') activeAt = number
    else if (what === 'failed' || what === 'retried') kinds[what].set(kind, number)
    else if (Object.hasOwn(ZERO, name)) counts[name as keyof FleetCounts] = number
  }
  const { failed, retried } = kinds
  return {
    ...{ counts, state, activeAt },
    failures: Object.fromEntries(failed),
    retries: Object.fromEntries(retried),
  }
}

const ZERO: { -readonly [name in keyof FleetCounts]: number } = {
  waiting: 0,
  delayed: 0,
  leased: 0,
  added: 0,
  duplicates: 0,
  done: 0,
  retried: 0,
  failed: 0,
  malformed: 0,
  seen: 0,
  items: 0,
  itemsLeft: 0,
  freeHosts: 0,
  restingHosts: 0,
  heldHosts: 0,
}
