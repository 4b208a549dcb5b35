import { LruMap } from '../../base/lru-map.ts'
import type { Validators } from '../fetch/fetcher.ts'

/** What is known about the robots.txt of one origin. Plain data, safe for JSON: any store can keep it. */
export type RobotsRecord = {
  /** Scheme, host and port, as WHATWG's `URL.origin` writes them. */
  readonly origin: string
} & (
  | { readonly finding: RobotsFinding; readonly outage?: never }
  | {
      /** From before the outage, to go by meanwhile. */
      readonly finding?: RobotsCopy
      /** The file cannot be reached. */
      readonly outage: RobotsOutage
    }
)

/** A response that settled something. */
export type RobotsFinding =
  | RobotsCopy
  /** There is no file: everything may be fetched. */
  | (FindingBase & { readonly kind: 'unavailable'; readonly reason: string })
  /** 401 or 403. Which way it counts is decided when it is used. */
  | (FindingBase & { readonly kind: 'denied'; readonly reason: string })

export interface RobotsCopy extends FindingBase {
  readonly kind: 'file'
  /** The body, one character for each octet (Latin-1). */
  readonly octets: string
  /** The body was cut off at the size limit. */
  readonly cut: boolean
  /** Where it was in the end, after redirects: the only URL that the validators are about. */
  readonly url: string
  readonly validators: Validators
}

interface FindingBase {
  /** When the server last confirmed it (ms since the epoch). */
  readonly checkedAt: number
  /** Until when it may be used without asking again (ms since the epoch). */
  readonly freshUntil: number
}

export interface RobotsOutage {
  /** For people. */
  readonly reason: string
  /** When the first of the failures in a row was (ms since the epoch). */
  readonly since: number
  /** Failures in a row, this one included. */
  readonly failures: number
  /** When to try again (ms since the epoch). */
  readonly retryAt: number
}

/** Where records outlive the process, or are shared by a fleet. */
export interface RobotsStore {
  get(origin: string): Promise<RobotsRecord | undefined>
  /** Replaces the record of the same origin. */
  put(record: RobotsRecord): Promise<void>
}

/** Whether nothing needs to be asked before `record` is used. */
export function isCurrent(record: RobotsRecord, now: number): boolean {
  return now < (record.outage ? record.outage.retryAt : record.finding.freshUntil)
}

export function copyIn(record: RobotsRecord | undefined): RobotsCopy | undefined {
  return record?.finding?.kind === 'file' ? record.finding : undefined
}

/** About what a record takes besides its file. */
const RECORD_BYTES = 400
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024

/** Keeps records for as long as the process lives, the most recently used ones only. */
export class MemoryRobotsStore implements RobotsStore {
  readonly #records: LruMap<string, RobotsRecord>

  /** @param maxBytes about how much memory to use. @default 64 MiB: 150,000 origins without a file */
  constructor(maxBytes = DEFAULT_MAX_BYTES) {
    this.#records = new LruMap(maxBytes)
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    return this.#records.get(origin)
  }

  async put(record: RobotsRecord): Promise<void> {
    const fileBytes = record.finding?.kind === 'file' ? record.finding.octets.length : 0
    this.#records.set(record.origin, record, RECORD_BYTES + fileBytes)
  }
}
