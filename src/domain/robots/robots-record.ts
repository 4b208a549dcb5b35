import { LruMap } from '../../base/lru-map.ts'
import type { Validators } from '../fetch/fetcher.ts'

/** The stored state of the robots.txt of one origin. Plain data that can be stored as JSON. */
export type RobotsRecord = {
  /** Scheme, host and port, as WHATWG's `URL.origin` writes them. */
  readonly origin: string
  /** Its other files with AI-use preferences. Absent: not fetched. */
  readonly aiUse?: AiUseFilesRecord
} & (
  | { readonly finding: RobotsFinding; readonly outage?: never }
  | {
      /** The copy from before the outage, used meanwhile. */
      readonly finding?: RobotsCopy
      /** The file cannot be reached. */
      readonly outage: RobotsOutage
    }
)

/** The result of a conclusive response. */
export type RobotsFinding =
  | RobotsCopy
  /** There is no file: everything may be fetched. */
  | (FindingBase & { readonly kind: 'unavailable'; readonly reason: string })
  /** 401 or 403. The option `denyOnForbidden` decides when the record is used. */
  | (FindingBase & { readonly kind: 'denied'; readonly reason: string })

/** A stored robots.txt. */
export interface RobotsCopy extends FindingBase {
  readonly kind: 'file'
  /** The body, one character for each octet (Latin-1). */
  readonly octets: string
  /** The body was cut off at the size limit. */
  readonly cut: boolean
  /** The final URL after redirects. The validators are valid for this URL only. */
  readonly url: string
  readonly validators: Validators
}

/** The bodies of `/ai.txt` and `/.well-known/tdmrep.json`, one character for each octet; a missing file is absent. */
export interface AiUseFilesRecord {
  readonly aiTxt?: string
  readonly tdmRep?: string
  /** Until when they may be used (ms since the epoch). */
  readonly freshUntil: number
}

/** When a finding about a robots.txt was made, and how long it is valid. */
export interface FindingBase {
  /** When the server last confirmed it (ms since the epoch). */
  readonly checkedAt: number
  /** Until when it may be used without revalidation (ms since the epoch). */
  readonly freshUntil: number
}

/** Consecutive failures to fetch a robots.txt. */
export interface RobotsOutage {
  /** A readable message. */
  readonly reason: string
  /** Time of the first of the consecutive failures (ms since the epoch). */
  readonly since: number
  /** Number of consecutive failures. */
  readonly failures: number
  /** When to try again (ms since the epoch). */
  readonly retryAt: number
}

/** Stores records across processes, or for a fleet. */
export interface RobotsStore {
  /** The stored record of an origin (`https://example.org`); `undefined` if there is none. */
  get(origin: string): Promise<RobotsRecord | undefined>
  /** Replaces the record of the same origin. */
  put(record: RobotsRecord): Promise<void>
}

/** Whether `record` may be used without a request. */
export function isCurrent(record: RobotsRecord, now: number): boolean {
  return now < (record.outage ? record.outage.retryAt : record.finding.freshUntil)
}

export function copyIn(record: RobotsRecord | undefined): RobotsCopy | undefined {
  return record?.finding?.kind === 'file' ? record.finding : undefined
}

/** Estimated memory of a record without its file. */
const RECORD_BYTES = 400
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/**
 * Keeps the most recently used records in memory.
 * @example
 * const robots = new RobotsCache(wallClock, 'my-bot', { store: new MemoryRobotsStore(8 * 1024 * 1024) })
 */
export class MemoryRobotsStore implements RobotsStore {
  readonly #records: LruMap<string, RobotsRecord>

  /** @param maxBytes estimated memory limit. @default 64 MiB: 150,000 origins without a file */
  constructor(maxBytes = DEFAULT_MAX_BYTES) {
    this.#records = new LruMap(maxBytes)
  }

  /** The record of an origin; `undefined` if it has none or it was dropped for lack of memory. */
  async get(origin: string): Promise<RobotsRecord | undefined> {
    return this.#records.get(origin)
  }

  async put(record: RobotsRecord): Promise<void> {
    const fileBytes = record.finding?.kind === 'file' ? record.finding.octets.length : 0
    const { aiTxt = '', tdmRep = '' } = record.aiUse ?? {}
    const bytes = RECORD_BYTES + fileBytes + aiTxt.length + tdmRep.length
    this.#records.set(record.origin, record, bytes)
  }
}
