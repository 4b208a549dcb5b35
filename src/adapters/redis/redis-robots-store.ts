import type { Clock } from '../../base/clock.ts'
import { printable } from '../../base/printable.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { Validators } from '../../domain/fetch/fetcher.ts'
import {
  type AiUseFilesRecord,
  isCurrent,
  MemoryRobotsStore,
  type RobotsFinding,
  type RobotsOutage,
  type RobotsRecord,
  type RobotsStore,
} from '../../domain/robots/robots-record.ts'
import type { JobKeys } from './keys.ts'
import type { RedisConnection } from './redis-connection.ts'
import { SCRIPTS } from './redis-scripts.ts'
import { shardOf } from './shards.ts'
import { isRecord, parseJson } from './stored-request.ts'

/** A record is kept longer than it is fresh: for conditional requests, and as a fallback in an outage. */
const KEPT_LONGER_MS = 24 * 3_600_000
/** A longer file is each process's own: few sites have one, and Redis keeps all in memory. */
const MAX_SHARED_CHARS = 32 * 1024

/** The robots.txt of each origin, for all workers of a crawl: when a host changes its owner, its robots.txt is not requested again. */
export class RedisRobotsStore implements RobotsStore {
  readonly #connection: RedisConnection
  readonly #shards: readonly JobKeys[]
  readonly #clock: Clock
  readonly #own = new MemoryRobotsStore()

  /**
   * @param shards the keys of all shards of the crawl
   * @param clock that of the fleet: the times of records are by it
   */
  constructor(connection: RedisConnection, shards: readonly JobKeys[], clock: Clock) {
    this.#connection = connection
    this.#shards = shards
    this.#clock = clock
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    const own = await this.#own.get(origin)
    if (own !== undefined && isCurrent(own, this.#clock.now())) return own
    const json = await this.#connection.run(SCRIPTS.readRobots, [robotsBase(this.#shards, origin)], [origin])
    return readRobots(origin, String(json), this.#clock.now()) ?? own
  }

  async put(record: RobotsRecord): Promise<void> {
    await this.#own.put(record)
    const json = JSON.stringify(record)
    if (json.length > MAX_SHARED_CHARS) return
    const until = record.outage ? record.outage.retryAt : record.finding.freshUntil
    const keepMs = Math.ceil(Math.max(0, until - this.#clock.now()) + KEPT_LONGER_MS)
    const base = robotsBase(this.#shards, record.origin)
    await this.#connection.run(SCRIPTS.keepRobots, [base], [record.origin, json, String(keepMs)])
  }
}

/** What the key of an origin's record begins with. */
export function robotsBase(shards: readonly JobKeys[], origin: string): string {
  return shards[shardOf(origin, shards.length)]?.base ?? ''
}

/**
 * The record in `json`; `undefined` if it is not one of that origin. Any program with access to Redis may have written it, so its times are cut
 * to what a worker would write at `now`: no entry can close an origin, or hold its rules, for longer than a server could.
 */
export function readRobots(origin: string, json: string, now: number): RobotsRecord | undefined {
  const value = parseJson(json)
  if (!isRecord(value) || value['origin'] !== origin) return undefined
  const finding = readFinding(value['finding'], now)
  const site = { origin, ...withoutUndefined({ aiUse: readAiUse(value['aiUse'], now) }) }
  if (value['outage'] === undefined) return finding && { ...site, finding }
  const outage = readOutage(value['outage'], now)
  if (outage === undefined) return undefined
  if (value['finding'] === undefined) return { ...site, outage }
  return finding?.kind === 'file' ? { ...site, finding, outage } : undefined
}

function readFinding(value: unknown, now: number): RobotsFinding | undefined {
  if (!isRecord(value) || !isTime(value['checkedAt']) || !isTime(value['freshUntil'])) return undefined
  const { kind, reason, octets, cut, url } = value
  const times = {
    checkedAt: Math.min(value['checkedAt'], now),
    freshUntil: Math.min(value['freshUntil'], now + MAX_FRESH_MS),
  }
  if (kind === 'unavailable' || kind === 'denied')
    return isReason(reason) ? { kind, reason: printable(reason), ...times } : undefined
  const validators = readValidators(value['validators'])
  if (kind !== 'file' || typeof octets !== 'string' || !OCTETS.test(octets)) return undefined
  if (typeof cut !== 'boolean' || typeof url !== 'string' || validators === undefined) return undefined
  return { kind, octets, cut, url, validators, ...times }
}

function readAiUse(value: unknown, now: number): AiUseFilesRecord | undefined {
  if (!isRecord(value) || !isTime(value['freshUntil'])) return undefined
  const { aiTxt, tdmRep } = value
  return {
    ...(typeof aiTxt === 'string' && OCTETS.test(aiTxt) && { aiTxt }),
    ...(typeof tdmRep === 'string' && OCTETS.test(tdmRep) && { tdmRep }),
    freshUntil: Math.min(value['freshUntil'], now + MAX_FRESH_MS),
  }
}

function readValidators(value: unknown): Validators | undefined {
  if (!isRecord(value)) return undefined
  const { etag, lastModified } = value
  return {
    ...(typeof etag === 'string' && { etag }),
    ...(typeof lastModified === 'string' && { lastModified }),
  }
}

function readOutage(value: unknown, now: number): RobotsOutage | undefined {
  if (!isRecord(value)) return undefined
  const { reason, since, failures, retryAt } = value
  if (!isReason(reason) || !isTime(since) || !isTime(failures) || !isTime(retryAt)) return undefined
  return {
    reason: printable(reason),
    since: Math.min(since, now),
    failures: Math.min(Math.floor(failures), MAX_FAILURES),
    retryAt: Math.min(retryAt, now + MAX_RETRY_MS),
  }
}

/** One character for each octet. */
const OCTETS = /^[\0-\xff]*$/
/** RFC 9309 (2.4), and the longest Retry-After that a worker obeys. */
const MAX_FRESH_MS = 24 * 3_600_000
const MAX_RETRY_MS = 24 * 3_600_000
const MAX_FAILURES = 1_000

function isReason(value: unknown): value is string {
  return typeof value === 'string'
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
