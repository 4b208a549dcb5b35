/**
 * A report about the requests of a crawl to each host, made from its request logs: something an operator can send to the owner of a site.
 * Plain data; docs/file-formats.md describes it. Times are in ISO 8601, in UTC.
 */
export interface Certificate {
  readonly type: 'orbweaver-politeness-certificate'
  readonly version: 1
  readonly createdAt: string
  /** The program that made it. */
  readonly software: string
  /** One sentence for people. */
  readonly summary: string
  /** What was selected. Absent: everything. */
  readonly selection: { readonly host?: string; readonly from?: string; readonly to?: string }
  /** The first request and the end of the last response; absent without requests. */
  readonly firstAt?: string
  readonly lastAt?: string
  readonly requests: number
  readonly violations: number
  /** Whether all requests of the time are in the logs. If not, `notes` say what is missing. */
  readonly isComplete: boolean
  readonly notes: readonly CertificateNote[]
  readonly crawlers: readonly CertifiedCrawler[]
  /** Hosts with violations first, then by the number of requests. */
  readonly hosts: readonly HostCertificate[]
  /** Number of hosts that are not listed, if there are too many. They have no violations. */
  readonly unlistedHosts: number
}

/** Something about the logs that a reader should know. */
export interface CertificateNote {
  readonly code: 'LOG_DAMAGED' | 'LOG_NOT_CLOSED' | 'REQUESTS_LOST' | 'CLOCK_SET' | 'ROBOTS_UNKNOWN'
  readonly message: string
}

/** Processes with the same identity. */
export interface CertifiedCrawler {
  readonly userAgent: string
  /** Its name in robots.txt. */
  readonly agent: string
  readonly contactUrl?: string
  readonly email?: string
  readonly software: string
  readonly processes: number
}

/** What was requested from one host, and whether its rules were kept. Times are ISO 8601 in UTC. */
export interface HostCertificate {
  /** The key of the host queue: a host or a domain. */
  readonly host: string
  /** All requests, robots.txt included. */
  readonly requests: number
  readonly robotsRequests: number
  readonly sitemapRequests: number
  /** Scripts and stylesheets of rendered pages: they belong to the request of their page, so delays do not apply to them. Absent: none. */
  readonly assetRequests?: number
  /** Requests with validators of a stored copy, so that an unchanged page is not sent again. */
  readonly conditionalRequests: number
  /** Requests without a connection: the server has not seen them. They are part of `requests`. */
  readonly failedConnections: number
  readonly bytes: number
  readonly firstAt: string
  readonly lastAt: string
  /** Responses by status, and requests without a response by failure. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly busiestHour: { readonly at: string; readonly requests: number }
  readonly mostInFlight: number
  /** The limits that the crawler had for the host, in the order of their first use. */
  readonly limits: readonly CertifiedLimits[]
  /** Time from the end of a response to the next request. Absent without two requests. */
  readonly gapAfterResponse?: CertifiedGaps
  /** Time from the start of a request to the start of the next. Absent without two requests. */
  readonly gapBetweenStarts?: CertifiedGaps
  /** The longest Crawl-delay in a robots.txt that was in force. Absent: none. */
  readonly crawlDelayMs?: number
  readonly retryAfter: CertifiedRetryAfter
  /** The versions of robots.txt that were in force, oldest first. At most 20. */
  readonly robots: readonly CertifiedRobots[]
  /** URLs that were not requested because robots.txt disallows them. */
  readonly disallowedUrls: number
  /** Number of violations; at most 100 are listed. */
  readonly violationCount: number
  readonly violations: readonly Violation[]
}

/** Limits that were in force for a host, and the number of requests that they applied to. */
export interface CertifiedLimits {
  readonly delayAfterResponseMs: number
  readonly delayBetweenStartsMs: number
  readonly maxInFlight: number
  readonly requests: number
}

/** Statistics of the time between two requests to a host. */
export interface CertifiedGaps {
  readonly smallestMs: number
  /** Exact up to 1,000 gaps; then to about 1 %. */
  readonly medianMs: number
}

/** Responses that told the crawler when to come back, and how many of them it obeyed. */
export interface CertifiedRetryAfter {
  /** Responses with 429. */
  readonly tooManyRequests: number
  /** Responses with 429 or 503 and a valid Retry-After. */
  readonly responses: number
  /** Those of them that were followed by no request too early. */
  readonly obeyed: number
  readonly longestMs: number
}

/** One version of the robots.txt of an origin, and what it decided. */
export interface CertifiedRobots {
  readonly origin: string
  readonly state: 'file' | 'unavailable' | 'denied' | 'unreachable'
  /** When it was fetched, or last confirmed by the server. */
  readonly checkedAt?: string
  readonly reason?: string
  /** SHA-256 of the file. */
  readonly hash?: string
  readonly bytes?: number
  readonly crawlDelayMs?: number
  /** Requests for pages while it was in force. */
  readonly requests: number
  /** The lines that decided, by number of decisions; at most 20. */
  readonly decisions: readonly RobotsDecisionCount[]
}

/** How often a line of robots.txt decided about a URL, with one such URL. */
export interface RobotsDecisionCount {
  readonly allowed: boolean
  /** The line of the file; absent: no line matched, so the URL is allowed. */
  readonly line?: number
  readonly text?: string
  /** Requested URLs, or URLs that were skipped. */
  readonly urls: number
  readonly example: string
}

/**
 * `delay`: sooner after a response than the configured delay. `start-delay`: sooner after the start of another request. `crawl-delay`: sooner
 * than the Crawl-delay. `back-off`: sooner after a failure than the crawler's own back-off. `retry-after`: before the time that the server
 * gave. `parallel`: more requests in flight than allowed. `robots-disallowed`, `robots-unreachable`, `robots-not-fetched`, `robots-stale`:
 * robots.txt disallows the URL, could not be fetched, was not fetched before, or was too old.
 */
export type ViolationRule =
  | 'delay'
  | 'start-delay'
  | 'crawl-delay'
  | 'back-off'
  | 'retry-after'
  | 'parallel'
  | 'robots-disallowed'
  | 'robots-unreachable'
  | 'robots-not-fetched'
  | 'robots-stale'

/** A request that broke a rule of its host. */
export interface Violation {
  readonly at: string
  readonly url: string
  readonly rule: ViolationRule
  /** For people. */
  readonly message: string
  /** In milliseconds, or in requests for `parallel`. */
  readonly required?: number
  readonly observed?: number
}
