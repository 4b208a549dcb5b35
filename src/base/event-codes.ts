import type { CrawlEvent, EventLevel, EventLog, EventTopic } from './event-log.ts'

/** The topic and the level of an event. */
type EventKind = readonly [EventTopic, EventLevel]

/** Every event, by its code. Codes are stable: programs compare them. docs/error-codes.md is made of the comments. */
export const EVENTS = {
  /** A crawl or a spider has started. */
  CRAWL_STARTED: ['crawl', 'info'],
  /** A crawl or a spider continues where its last run stopped. */
  CRAWL_RESUMED: ['crawl', 'info'],
  /** A crawl or a spider has ended; the message has the reason. */
  CRAWL_FINISHED: ['crawl', 'info'],
  /**
   * An error ended the run; `data.code` has its code.
   * Remedy: See that code on this page.
   */
  CRAWL_FAILED: ['crawl', 'error'],
  /** The run stops because a limit was reached, such as `--max-pages`. */
  LIMIT_REACHED: ['crawl', 'info'],
  /** A round of a crawl has started with a new segment. */
  ROUND_STARTED: ['crawl', 'info'],
  /** The remaining URLs of an unfinished segment are fetched. */
  SEGMENT_RESUMED: ['crawl', 'info'],
  /** The fetch of a segment has ended. */
  SEGMENT_FETCHED: ['crawl', 'info'],
  /** All due URLs belong to hosts that must wait; the message has the time. */
  HOSTS_WAITING: ['crawl', 'info'],
  /** A directory of seed files has a subdirectory, which is not read. */
  SEED_DIRECTORY_SKIPPED: ['crawl', 'notice'],
  /**
   * `--force` took the lock of another process.
   * Remedy: Stop the other process if it still runs: two of them damage the crawl.
   */
  LOCK_OVERRIDDEN: ['crawl', 'warning'],
  /**
   * The file system has no sockets, so other commands cannot read the crawl while it runs.
   * Remedy: Use a local disk, or read the crawl after its end.
   */
  CONTROL_SOCKET_UNAVAILABLE: ['crawl', 'warning'],
  /** Another program has the CrawlDb open; the command waits for it. */
  WAITING_FOR_READER: ['crawl', 'notice'],
  /**
   * The User-Agent has no contact, so site owners can only block the crawler.
   * Remedy: Set `--contact <url>` or `--email <address>`.
   */
  AGENT_CONTACT_MISSING: ['crawl', 'warning'],
  /** The metrics of the run are served at the address in the message. */
  METRICS_SERVED: ['crawl', 'notice'],
  /**
   * Chromium runs without its sandbox, because the process runs as root.
   * Remedy: Run Orbweaver as another user, at least on sites that you do not trust.
   */
  BROWSER_WITHOUT_SANDBOX: ['crawl', 'warning'],
  /**
   * `--trace` is on, and there is no OpenTelemetry SDK, or it could not send the spans.
   * Remedy: Load an SDK with `NODE_OPTIONS="--import …"`: [Metrics and alerts](metrics.md).
   */
  TRACES_DISCARDED: ['crawl', 'warning'],
  /**
   * The log file cannot be written. The crawl continues without it.
   * Remedy: Free some disk space, or correct the permissions. The log continues by itself.
   */
  LOG_FILE_FAILED: ['crawl', 'warning'],
  /** A notification was sent. */
  NOTIFICATION_SENT: ['crawl', 'info'],
  /**
   * The command of a notification failed, or the webhook did not accept it after three attempts.
   * Remedy: Run the command by hand, or check the URL.
   */
  NOTIFICATION_FAILED: ['crawl', 'warning'],
  /**
   * The log file can be written again. The lines in between are lost.
   * Remedy: None is needed.
   */
  LOG_LINES_LOST: ['crawl', 'warning'],
  /**
   * The request log of the crawl directory cannot be written. The crawl continues.
   * Remedy: Free some disk space. `orbweaver certify` reports that requests are missing.
   */
  REQUEST_LOG_FAILED: ['crawl', 'warning'],
  /**
   * The object store does not respond, or is busy. Requests are retried.
   * Remedy: None, unless it lasts: the message has the time of the last attempt.
   */
  OBJECT_STORE_LOST: ['crawl', 'warning'],
  /** The object store responds again. */
  OBJECT_STORE_BACK: ['crawl', 'notice'],

  /** The CrawlDb was updated with fetched pages and their links. */
  CRAWLDB_UPDATED: ['crawldb', 'info'],

  /** A page was fetched. */
  PAGE_FETCHED: ['fetch', 'debug'],
  /** A response redirects to another URL. */
  REDIRECTED: ['fetch', 'debug'],
  /** A request failed; it may be retried. */
  REQUEST_FAILED: ['fetch', 'debug'],
  /** A request is retried later; the message has the time. */
  RETRY_PLANNED: ['fetch', 'debug'],
  /** A body was truncated; the message has the reason. */
  BODY_TRUNCATED: ['fetch', 'debug'],
  /** A URL of the fetch list could not be fetched in this round. */
  PAGE_FAILED: ['fetch', 'info'],
  /**
   * A host that is not a seed resolves to a private address.
   * Remedy: Allow the host with `--allow-host <host>`, if it is your own.
   */
  PRIVATE_ADDRESS_REFUSED: ['fetch', 'warning'],
  /** A proxy failed, and is not used for the time in the message. */
  PROXY_SUSPENDED: ['fetch', 'info'],
  /** A suspended proxy works again. */
  PROXY_BACK: ['fetch', 'info'],
  /**
   * No proxy of `http.proxy` works. Requests wait.
   * Remedy: Check the proxies; the crawl continues when one works.
   */
  PROXIES_LOST: ['fetch', 'warning'],
  /** A proxy works again, and the crawl continues. */
  PROXIES_BACK: ['fetch', 'notice'],
  /** A host blocks the proxies of a tier; the next tier is used for it for an hour. */
  PROXY_TIER_RAISED: ['fetch', 'info'],

  /** A robots.txt was fetched. */
  ROBOTS_FETCHED: ['robots', 'debug'],
  /** A robots.txt disallows the start page of its host. */
  ROBOTS_DISALLOWS_ALL: ['robots', 'info'],
  /** A robots.txt returned 401 or 403. */
  ROBOTS_FORBIDDEN: ['robots', 'info'],
  /**
   * A robots.txt could not be fetched: a 5xx or 429, or a broken connection. Its host must not be crawled meanwhile (RFC 9309).
   * Remedy: Wait; the event has the time of the next request.
   */
  ROBOTS_UNREACHABLE: ['robots', 'warning'],

  /** A host returned 429 or 503; its delay grows, and Retry-After is obeyed. */
  RATE_LIMITED: ['politeness', 'info'],
  /** The delay of a host was raised after a failure. */
  HOST_BACKED_OFF: ['politeness', 'info'],
  /** A host is not requested for some time after too many failures, or because its delay is too long. */
  HOST_PARKED: ['politeness', 'info'],
  /** A host responds again and has its usual delay. */
  HOST_RELEASED: ['politeness', 'info'],

  /** A page could not be parsed; the message has the reason. */
  PARSE_FAILED: ['parse', 'debug'],

  /** A search index was updated. */
  INDEX_UPDATED: ['index', 'info'],
  /** Number of pages indexed so far. */
  INDEX_PROGRESS: ['index', 'notice'],
  /** The search index is of another version and is built again. */
  INDEX_REBUILT: ['index', 'notice'],
  /**
   * A search server did not accept documents. They are sent again for 90 seconds.
   * Remedy: Look at the log of the search server.
   */
  INDEX_BUSY: ['index', 'warning'],
  /** Deletes were skipped, because rows of a CSV file cannot be deleted. */
  INDEX_DELETES_SKIPPED: ['index', 'notice'],

  /** A request of a spider failed for good; `orbweaver failed` lists it. */
  DEAD_LETTER: ['spider', 'info'],
  /**
   * A handler, hook or pipeline of a spider threw an error; the message has the line.
   * Remedy: Fix the spider, then queue the pages again with `orbweaver failed <dir> --retry`.
   */
  HANDLER_FAILED: ['spider', 'error'],
  /**
   * `onClose` of a spider, or the `close` of a pipeline, threw an error.
   * Remedy: Fix the function; pages and items are stored.
   */
  CLOSE_FAILED: ['spider', 'error'],

  /** An item was stored. */
  ITEM_STORED: ['items', 'trace'],
  /** A pipeline dropped an item. */
  ITEM_DROPPED: ['items', 'debug'],
  /** The schema of the spider rejected an item; it is stored with its reason. */
  ITEM_REJECTED: ['items', 'info'],
  /** Items were written to a feed export. */
  FEED_WRITTEN: ['items', 'info'],
  /** A feed export is written again from the stored items; the message has the reason. */
  FEED_REWRITTEN: ['items', 'notice'],
  /** Items can be written again to a feed export that failed before. */
  FEED_RECOVERED: ['items', 'notice'],
  /**
   * A CSV on standard output has its header already, and later items have more fields.
   * Remedy: Name all columns with `fields`, or use `jsonl`.
   */
  FEED_FIELDS_LEFT_OUT: ['items', 'warning'],
  /**
   * Items could not be written to a feed export. They are kept.
   * Remedy: Correct the disk or the permissions: the items are written within ten seconds, or by the next run.
   */
  FEED_FAILED: ['items', 'warning'],

  /**
   * A Redis is configured, and this run does not use it.
   * Remedy: Add `--redis` to share the crawl.
   */
  REDIS_NOT_USED: ['redis', 'warning'],
  /**
   * Redis does not respond, is starting, or changes its master. The workers wait.
   * Remedy: None, unless it lasts: the workers continue by themselves.
   */
  REDIS_LOST: ['redis', 'warning'],
  /**
   * The memory of Redis is full. The workers wait.
   * Remedy: Take items out with `orbweaver items --take`, or raise its `maxmemory`.
   */
  REDIS_FULL: ['redis', 'warning'],
  /** Redis responds again, or has memory again. */
  REDIS_BACK: ['redis', 'notice'],
  /**
   * A worker did not reach Redis for longer than `redis.leaseSeconds`. Other workers continue with its hosts.
   * Remedy: None. If it happens often, raise that setting, or look for a suspended machine.
   */
  LEASE_LOST: ['redis', 'warning'],
  /**
   * Another program pushed a start message that cannot be read.
   * Remedy: Fix the program. The message stays in Redis under the key in the event.
   */
  START_MESSAGE_INVALID: ['redis', 'warning'],
  /** The workers of a crawl were paused. */
  FLEET_PAUSED: ['redis', 'notice'],
  /** The workers of a crawl stop after their current requests. */
  FLEET_DRAINING: ['redis', 'notice'],
  /** The workers of a crawl continue. */
  FLEET_RESUMED: ['redis', 'notice'],
  /** A fetch list was put into Redis; the message has the command that starts a worker. */
  SEGMENT_OFFERED: ['redis', 'notice'],
  /** A worker waits for a fetch list. */
  WAITING_FOR_FETCH_LIST: ['redis', 'notice'],
  /** A worker does not see the segment yet, and waits for it. */
  SEGMENT_NOT_VISIBLE: ['redis', 'notice'],
} as const satisfies Readonly<Record<string, EventKind>>

export type EventCode = keyof typeof EVENTS

/** The optional values of an event. */
export type EventDetails = Pick<CrawlEvent, 'url' | 'host' | 'data'>

/** Whether an event of this code would be written. To be called first where events are frequent. */
export function isLogged(log: EventLog, code: EventCode): boolean {
  const [topic, level] = EVENTS[code]
  return log.isOn(topic, level)
}

/** Writes an event with the topic and the level of its code, unless its level is off. */
export function logEvent(log: EventLog, code: EventCode, message: string, details?: EventDetails): void {
  const [topic, level] = EVENTS[code]
  if (log.isOn(topic, level)) log.write({ level, topic, code, message, ...details })
}
