import type { Json, JsonObject } from '../../base/json.ts'
import type { DelaySource } from '../politeness/host-throttle.ts'
import type { RobotsState } from '../robots/robots-cache.ts'

/**
 * The state of a running crawl as plain data that JSON can represent, for the dashboard, the metrics, notifications and other processes.
 * Times are milliseconds since the epoch.
 */
export interface LiveReport {
  readonly kind: 'cycle' | 'spider' | 'fleet'
  /** Name of the spider or of the crawl in Redis, or path of the crawl directory. */
  readonly name: string
  /** The command or method that runs, such as `crawl`. */
  readonly command: string
  readonly pid: number
  readonly startedAt: number
  /** When this report was made. */
  readonly at: number
  readonly state: LiveState
  /** When a response was last received: of any status, robots.txt included. At first `startedAt`. */
  readonly lastProgressAt: number
  /** What the crawl does now, for people: `fetching segment 20261116…`, `waiting until 14:05 for example.org`. */
  readonly activity?: string
  readonly totals: LiveTotals
  /** Averages over the last five seconds. */
  readonly rates: LiveRates
  /** Requests in flight, or responses in processing. */
  readonly inFlight: number
  /** URLs in the host queues of this process. */
  readonly queued: number
  /** URLs that are due and not in the host queues. Absent if not known. */
  readonly due?: number
  /** Seconds until the queue is empty, or the run has all the pages it may fetch, at the current rate. Absent if unknown. */
  readonly etaSeconds?: number
  /** Requests by kind of outcome: `success`, `not-found`, `dns-not-found`, `robots-disallowed`, … */
  readonly outcomes: Readonly<Record<string, number>>
  /** The latest failures, newest first; at most 50. */
  readonly failures: readonly LiveFailure[]
  readonly responseTimes: LiveHistogram
  /** Hosts in the host queues, parked hosts, and hosts whose robots.txt could not be fetched. */
  readonly hosts: { readonly known: number; readonly parked: number; readonly robotsFailed: number }
  /** The latest rounds of a cycle, newest first; at most 20. */
  readonly rounds: readonly LiveRound[]
  readonly items?: LiveItems
  readonly process?: LiveProcess
  readonly fleet?: LiveFleet
  /** The actions that this crawl supports. */
  readonly actions: readonly LiveActionName[]
}

/** `stopping`: no new requests are sent, and requests in flight are finished. */
export type LiveState = 'running' | 'paused' | 'stopping' | 'finished'

/** Counts since the start of the process. */
export interface LiveTotals {
  /** Requests sent, robots.txt included. */
  readonly requests: number
  readonly pages: number
  /** Bytes of bodies, as received. */
  readonly bytes: number
  /** Requests without a usable response: network failures, 429, 5xx, invalid responses. */
  readonly errors: number
  readonly retries: number
  readonly redirects: number
  readonly robotsRequests: number
  /** URLs that robots.txt disallows. */
  readonly robotsDisallowed: number
  readonly items: number
  /** Items rejected by the schema. */
  readonly rejectedItems: number
}

/** Averages of the last seconds. */
export interface LiveRates {
  readonly pagesPerSecond: number
  readonly bytesPerSecond: number
  readonly requestsPerSecond: number
  readonly itemsPerSecond: number
  readonly errorsPerSecond: number
}

/** A failed request. Times are milliseconds since the epoch, here and below. */
export interface LiveFailure {
  readonly at: number
  readonly url: string
  readonly host: string
  /** A stable code: a kind of outcome, or the code of an error. */
  readonly code: string
  /** For people. */
  readonly reason: string
  /** When the URL or its host is tried again. Absent: not planned. */
  readonly retryAt?: number
}

/** Response times. `counts[i]` is the number of responses up to `boundsMs[i]` and above the bound before it; the last count has no bound. */
export interface LiveHistogram {
  readonly boundsMs: readonly number[]
  readonly counts: readonly number[]
  readonly sumMs: number
}

/** A round of a crawl. */
export interface LiveRound {
  /** 0: a segment of an earlier run that was resumed. */
  readonly round: number
  readonly segment: string
  /** On the fetch list. */
  readonly urls: number
  /** How many of them have a result. */
  readonly fetched: number
  readonly startedAt: number
  readonly endedAt?: number
}

/** Items of a spider, for display. */
export interface LiveItems {
  /** The latest items, newest first; at most 20, each shortened to 10 kB. */
  readonly latest: readonly LiveItem[]
  /** The latest items that the schema rejected, newest first; at most 20. */
  readonly rejected: readonly LiveRejectedItem[]
}

/** An item, shortened, and the page it came from. */
export interface LiveItem {
  readonly at: number
  readonly url: string
  readonly item: JsonObject
}

/** An item that the schema rejected, and why. */
export interface LiveRejectedItem extends LiveItem {
  readonly reason: string
}

/** Memory, CPU time and delays of the process. */
export interface LiveProcess {
  readonly rssBytes: number
  readonly heapUsedBytes: number
  /** Delays of the event loop in the last second. */
  readonly eventLoopDelayMs: { readonly median: number; readonly p99: number; readonly max: number }
  /** CPU time of all threads since the start of the process. */
  readonly cpuSeconds: number
  /** CPU time per second: 1 is one core. */
  readonly cpuCores: number
}

/** A crawl in Redis. */
export interface LiveFleet {
  readonly workers: readonly LiveWorker[]
  readonly queue: {
    readonly waiting: number
    readonly delayed: number
    readonly leased: number
    readonly seen: number
    readonly items: number
    readonly itemsLeft: number
  }
  readonly deadLetters: number
  readonly startUrls: number
}

/** A worker of a fleet. */
export interface LiveWorker {
  readonly name: string
  readonly joinedAt: number
  /** When Redis last heard from it, and when its lease ends. */
  readonly heardAt: number
  readonly expiresAt: number
  readonly hosts: number
  readonly leased: number
  // Figures since it joined; absent if the worker does not report them.
  readonly pages?: number
  readonly items?: number
  readonly requests?: number
  readonly errors?: number
  readonly bytes?: number
  /** Between its last two reports; at first, since it joined. */
  readonly pagesPerSecond?: number
}

/** One host of a running crawl. */
export interface LiveHost {
  readonly host: string
  readonly queued: number
  readonly inFlight: number
  /** When the next request may be sent; in the past: now. */
  readonly nextAllowedAt: number
  /** The effective delay after a response, and what set it. */
  readonly delayMs: number
  readonly delaySetBy: DelaySource
  /** The host gets no requests before this time, and why. Absent: not parked. */
  readonly parkedUntil?: number
  readonly parkedReason?: string
  /** Of this run. Absent in a fleet: workers do not report them for each host. */
  readonly requests?: number
  readonly errors?: number
  readonly averageMs: number
  readonly robots: RobotsState
  /** The worker that owns it, in a fleet. */
  readonly worker?: string
}

/** Which hosts to list. Hosts are sorted and paged where the crawl runs: there may be thousands. */
export interface HostQuery {
  readonly sort:
    | 'host'
    | 'queued'
    | 'inFlight'
    | 'nextAllowedAt'
    | 'delayMs'
    | 'requests'
    | 'errors'
    | 'averageMs'
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
  /** Only hosts that contain this text. */
  readonly contains?: string
}

/** The hosts that match a {@link HostQuery}, in its order. */
export interface HostList {
  /** Hosts that match the query. */
  readonly total: number
  /** Hosts that were not considered, because there are too many to sort. @default 0 */
  readonly skipped?: number
  readonly hosts: readonly LiveHost[]
}

/** Figures over time, oldest first. The last 600 points have a step of one second; before, of one minute. */
export interface LiveSeries {
  readonly points: readonly LivePoint[]
}

/** Counts of one interval. */
export interface LivePoint {
  /** End of the interval. */
  readonly at: number
  /** Length of the interval. */
  readonly seconds: number
  readonly pages: number
  readonly bytes: number
  readonly requests: number
  readonly errors: number
  readonly items: number
  /** At the end of the interval. */
  readonly inFlight: number
  readonly queued: number
}

/** A request to a running crawl. */
export type LiveAction =
  | { readonly action: 'pause' }
  | { readonly action: 'resume' }
  /** Stops as Ctrl-C does: requests in flight are finished, and the next run resumes. */
  | { readonly action: 'stop' }
  /** Replaces the configured delay of a host until the end of the run. It never shortens a delay that the host requested. `null`: the configured delay. */
  | { readonly action: 'set-delay'; readonly host: string; readonly delayMs: number | null }
  /** Queues failed requests again: one, or without `url` all. */
  | { readonly action: 'retry-failed'; readonly url?: string }

export type LiveActionName = LiveAction['action']

/** The result of an action, for people; `data` for programs. */
export interface LiveActionResult {
  readonly ok: boolean
  readonly message: string
  readonly data?: Json
}
