import type { JsonObject } from '../base/json.ts'
import type { FleetCounts, FleetWorker } from '../frontier/fleet.ts'
import { numberIn } from './read-number.ts'
import { isRecord, parseJson } from './stored-request.ts'

/** Reads the reply of `scripts/workers.ts`, the oldest worker first. */
export function readWorkers(reply: unknown): FleetWorker[] {
  const workers = (reply as unknown[][]).map(
    ([fence, name, joinedAt, heardAt, expiresAt, leased, hosts, json]) => {
      const status = parseJson(String(json))
      return {
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

/** Reads the reply of `scripts/counts.ts`. What was never counted is 0. */
export function readCounts(reply: unknown): { readonly counts: FleetCounts; readonly state: string } {
  const list = reply as unknown[]
  const counts = { ...ZERO }
  let state = ''
  for (let i = 0; i < list.length; i += 2) {
    const name = String(list[i])
    if (name === 'state') state = String(list[i + 1])
    else if (Object.hasOwn(ZERO, name)) counts[name as keyof FleetCounts] = numberIn(list[i + 1])
  }
  return { counts, state }
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
