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
