import type { Clock } from '../base/clock.ts'
import { MemoryRobotsStore } from '../robots/memory-robots-store.ts'
import { isCurrent, type RobotsRecord, type RobotsStore } from '../robots/robots-record.ts'
import type { RedisConnection } from './connection.ts'
import type { JobKeys } from './keys.ts'
import { KEEP_ROBOTS, READ_ROBOTS } from './scripts/robots.ts'
import { isRecord, parseJson } from './stored-request.ts'

/** Beyond the time that a record is fresh: to ask "has it changed?" with, and to go by in an outage. */
const KEPT_LONGER_MS = 24 * 3_600_000
/** A longer file is each process's own: few sites have one, and Redis keeps all in memory. */
const MAX_SHARED_CHARS = 32 * 1024

/** The robots.txt of each origin, for all workers of a crawl: a host that goes from one to another is not asked for it again. */
export class RedisRobotsStore implements RobotsStore {
  readonly #connection: RedisConnection
  readonly #keys: JobKeys
  readonly #clock: Clock
  readonly #own = new MemoryRobotsStore()

  /** @param clock that of the fleet: the times of records are by it */
  constructor(connection: RedisConnection, keys: JobKeys, clock: Clock) {
    this.#connection = connection
    this.#keys = keys
    this.#clock = clock
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    const own = await this.#own.get(origin)
    if (own !== undefined && isCurrent(own, this.#clock.now())) return own
    const json = await this.#connection.run(READ_ROBOTS, [this.#keys.base], [origin])
    return readRobots(origin, String(json)) ?? own
  }

  async put(record: RobotsRecord): Promise<void> {
    await this.#own.put(record)
    const json = JSON.stringify(record)
    if (json.length > MAX_SHARED_CHARS) return
    const until = record.outage ? record.outage.retryAt : record.finding.freshUntil
    const keepMs = Math.ceil(Math.max(0, until - this.#clock.now()) + KEPT_LONGER_MS)
    await this.#connection.run(KEEP_ROBOTS, [this.#keys.base], [record.origin, json, String(keepMs)])
  }
}

/** `undefined` when it is none of that origin: anybody may have written it. */
export function readRobots(origin: string, json: string): RobotsRecord | undefined {
  const value = parseJson(json)
  if (!isRecord(value) || value['origin'] !== origin) return undefined
  const { finding, outage } = value
  const isGood =
    outage === undefined
      ? isFinding(finding)
      : isOutage(outage) && (finding === undefined || (isFinding(finding) && isCopy(finding)))
  return isGood ? (value as unknown as RobotsRecord) : undefined
}

function isFinding(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || !isTime(value['checkedAt']) || !isTime(value['freshUntil'])) return false
  const { kind, reason } = value
  return isCopy(value) || ((kind === 'unavailable' || kind === 'denied') && typeof reason === 'string')
}

function isCopy({ kind, octets, cut, url, validators }: Readonly<Record<string, unknown>>): boolean {
  return (
    kind === 'file' &&
    typeof octets === 'string' &&
    typeof cut === 'boolean' &&
    typeof url === 'string' &&
    isRecord(validators) &&
    Object.values(validators).every((validator) => typeof validator === 'string')
  )
}

function isOutage(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { reason, since, failures, retryAt } = value
  return typeof reason === 'string' && isTime(since) && isTime(failures) && isTime(retryAt)
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
