/**
 * The lines of a request log, which docs/file-formats.md describes. Times are milliseconds since the epoch, with fractions, by the clock
 * that the crawler measures its delays with. References (`limits`, `robots`) are to earlier lines of the same file.
 */
export type LogEntry =
  | ProcessEntry
  | LimitsEntry
  | RobotsEntry
  | RequestEntry
  | DisallowedEntry
  | LostEntry
  | FlushEntry

/** The first line of a file: the process that wrote it. */
export interface ProcessEntry {
  readonly type: 'process'
  /** Version of the format. */
  readonly format: 1
  readonly software: string
  readonly pid: number
  readonly startedAt: number
  /** The User-Agent header. */
  readonly userAgent: string
  /** The product token that is looked for in robots.txt. */
  readonly agent: string
  readonly contactUrl?: string
  readonly email?: string
  /** Whether a robots.txt that returns 401 or 403 disallows the whole site. */
  readonly denyOnForbidden: boolean
}

/** Rate limits of one or more hosts. */
export interface LimitsEntry {
  readonly type: 'limits'
  readonly id: number
  readonly startGapMs: number
  readonly endGapMs: number
  readonly maxInFlight: number
}

/** The robots.txt of an origin, as it was in force from the next line on. */
export interface RobotsEntry {
  readonly type: 'robots'
  readonly id: number
  readonly origin: string
  /** The key of the host queue. */
  readonly host: string
  /** `unavailable`: there is no file. `denied`: 401 or 403. `unreachable`: not known. */
  readonly state: 'file' | 'unavailable' | 'denied' | 'unreachable'
  /** When the server last confirmed it. Absent if it is unreachable. */
  readonly checkedAt?: number
  /** Why it is unavailable, denied or unreachable; of a file: why an older copy is used. */
  readonly reason?: string
  /** Whether the file cannot be reached now: `state` is that of an older copy. */
  readonly outage?: boolean
  /** SHA-256 of the file, in hexadecimal. */
  readonly hash?: string
  /** The file, one character for each octet. Only in the first line with this hash. */
  readonly text?: string
  /** The file was cut off at the size limit. */
  readonly cut?: boolean
}

/** One request. A request that lasts longer than a flush has two lines: without its end, and complete. */
export interface RequestEntry {
  readonly type: 'request' | 'open'
  /** Only for requests with two lines. */
  readonly id?: number
  readonly start: number
  /** Absent with type `open`. */
  readonly end?: number
  readonly url: string
  /** The key of the host queue. Absent: the host of the URL. */
  readonly host?: string
  /** @default 'page' */
  readonly purpose?: 'robots' | 'data' | 'asset'
  /** @default 'GET' */
  readonly method?: string
  readonly conditional?: true
  /** HTTP status; absent without a response. */
  readonly status?: number
  /** Why there is no response, or no usable one: `connect-refused`, `malformed`. */
  readonly failure?: string
  /** Bytes of the body, as received. */
  readonly bytes?: number
  /** When the server allows the next request, by Retry-After. */
  readonly retryAt?: number
  readonly limits?: number
  readonly robots?: number
  /** The delay that the crawler keeps after this response. */
  readonly delayMs?: number
  /** It had an `open` line, but was not sent after all. */
  readonly notSent?: true
}

/** A URL that was not requested because robots.txt disallows it. */
export interface DisallowedEntry {
  readonly type: 'disallowed'
  readonly at: number
  readonly url: string
  readonly host?: string
  readonly robots?: number
}

/** Requests that could not be written, because of a disk error. */
export interface LostEntry {
  readonly type: 'lost'
  readonly from: number
  readonly to: number
  readonly requests: number
}

/** The last line of each flush: every request that was sent before `at` is in the file. */
export interface FlushEntry {
  readonly type: 'flush'
  readonly at: number
  /** The time of day, to notice when it was set. */
  readonly wall: number
  /** The process ended properly. */
  readonly closed?: true
}

/** What one flush wrote. */
export interface LogBatch {
  readonly entries: readonly LogEntry[]
  readonly flush: FlushEntry
}

/** The log of one process. */
export interface RequestLogPart {
  readonly name: string
  /** When the process started; the first batch is later. */
  readonly startedAt: number
  /** The batches in order. Damaged parts are skipped. */
  batches(): AsyncGenerator<LogBatch>
  /** Bytes that could not be read, after the last batch. A batch that was being written when the process was killed is not counted. */
  readonly damagedBytes: number
}

/** URLs can have a user name and a password; they must not be written to a log. */
export function withoutUserInfo(url: string): string {
  return url.includes('@') ? url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, '$1') : url
}
