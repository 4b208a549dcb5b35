import type { CrawlEvent, EventLevel, EventLog, EventTopic } from './event-log.ts'

/** The topic and the level of an event. */
type EventKind = readonly [EventTopic, EventLevel]

/** Every event, by its code. Codes are stable: programs compare them. docs/troubleshooting.md explains those of warnings and errors. */
export const EVENTS = {
  CRAWL_STARTED: ['crawl', 'info'],
  CRAWL_RESUMED: ['crawl', 'info'],
  CRAWL_FINISHED: ['crawl', 'info'],
  CRAWL_FAILED: ['crawl', 'error'],
  LIMIT_REACHED: ['crawl', 'info'],
  ROUND_STARTED: ['crawl', 'info'],
  SEGMENT_RESUMED: ['crawl', 'info'],
  SEGMENT_FETCHED: ['crawl', 'info'],
  HOSTS_WAITING: ['crawl', 'info'],
  SEED_DIRECTORY_SKIPPED: ['crawl', 'notice'],
  LOCK_OVERRIDDEN: ['crawl', 'warning'],
  CONTROL_SOCKET_UNAVAILABLE: ['crawl', 'warning'],
  WAITING_FOR_READER: ['crawl', 'notice'],
  AGENT_CONTACT_MISSING: ['crawl', 'warning'],
  METRICS_SERVED: ['crawl', 'notice'],
  BROWSER_WITHOUT_SANDBOX: ['crawl', 'warning'],
  TRACES_DISCARDED: ['crawl', 'warning'],
  LOG_FILE_FAILED: ['crawl', 'warning'],
  NOTIFICATION_SENT: ['crawl', 'info'],
  NOTIFICATION_FAILED: ['crawl', 'warning'],
  LOG_LINES_LOST: ['crawl', 'warning'],
  REQUEST_LOG_FAILED: ['crawl', 'warning'],
  OBJECT_STORE_LOST: ['crawl', 'warning'],
  OBJECT_STORE_BACK: ['crawl', 'notice'],

  CRAWLDB_UPDATED: ['crawldb', 'info'],

  PAGE_FETCHED: ['fetch', 'debug'],
  REDIRECTED: ['fetch', 'debug'],
  REQUEST_FAILED: ['fetch', 'debug'],
  RETRY_PLANNED: ['fetch', 'debug'],
  BODY_TRUNCATED: ['fetch', 'debug'],
  PAGE_FAILED: ['fetch', 'info'],
  PRIVATE_ADDRESS_REFUSED: ['fetch', 'warning'],
  PROXY_SUSPENDED: ['fetch', 'info'],
  PROXY_BACK: ['fetch', 'info'],
  PROXIES_LOST: ['fetch', 'warning'],
  PROXIES_BACK: ['fetch', 'notice'],
  PROXY_TIER_RAISED: ['fetch', 'info'],

  ROBOTS_FETCHED: ['robots', 'debug'],
  ROBOTS_DISALLOWS_ALL: ['robots', 'info'],
  ROBOTS_FORBIDDEN: ['robots', 'info'],
  ROBOTS_UNREACHABLE: ['robots', 'warning'],

  RATE_LIMITED: ['politeness', 'info'],
  HOST_BACKED_OFF: ['politeness', 'info'],
  HOST_PARKED: ['politeness', 'info'],
  HOST_RELEASED: ['politeness', 'info'],

  PARSE_FAILED: ['parse', 'debug'],

  INDEX_UPDATED: ['index', 'info'],
  INDEX_PROGRESS: ['index', 'notice'],
  INDEX_REBUILT: ['index', 'notice'],
  INDEX_BUSY: ['index', 'warning'],
  INDEX_DELETES_SKIPPED: ['index', 'notice'],

  DEAD_LETTER: ['spider', 'info'],
  HANDLER_FAILED: ['spider', 'error'],
  CLOSE_FAILED: ['spider', 'error'],

  ITEM_STORED: ['items', 'trace'],
  ITEM_DROPPED: ['items', 'debug'],
  ITEM_REJECTED: ['items', 'info'],
  FEED_WRITTEN: ['items', 'info'],
  FEED_REWRITTEN: ['items', 'notice'],
  FEED_RECOVERED: ['items', 'notice'],
  FEED_FIELDS_LEFT_OUT: ['items', 'warning'],
  FEED_FAILED: ['items', 'warning'],

  REDIS_NOT_USED: ['redis', 'warning'],
  REDIS_LOST: ['redis', 'warning'],
  REDIS_FULL: ['redis', 'warning'],
  REDIS_BACK: ['redis', 'notice'],
  LEASE_LOST: ['redis', 'warning'],
  START_MESSAGE_INVALID: ['redis', 'warning'],
  FLEET_PAUSED: ['redis', 'notice'],
  FLEET_DRAINING: ['redis', 'notice'],
  FLEET_RESUMED: ['redis', 'notice'],
  SEGMENT_OFFERED: ['redis', 'notice'],
  WAITING_FOR_FETCH_LIST: ['redis', 'notice'],
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
