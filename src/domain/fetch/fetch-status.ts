import type { FetchOutcome } from './fetch-outcome.ts'

/** What an HTTP status says, before Location, validators and the body are looked at. */
export type HttpStatusMeaning =
  | 'success'
  | 'moved-permanently'
  | 'moved-temporarily'
  | 'not-modified'
  | 'gone'
  | 'not-found'
  | 'access-denied'
  | 'rate-limited'
  | 'server-error'
  | 'malformed'

/**
 * The statuses that do not mean what their hundred means. Where Nutch calls all but a handful an exception, we tell apart who
 * refuses us (access-denied), who is busy (rate-limited), who is broken (server-error) and what is not there (gone).
 */
const MEANINGS: ReadonlyMap<number, HttpStatusMeaning> = new Map([
  [302, 'moved-temporarily'],
  [303, 'moved-temporarily'],
  [304, 'not-modified'],
  [307, 'moved-temporarily'],
  [401, 'access-denied'],
  [402, 'access-denied'],
  [403, 'access-denied'],
  [404, 'not-found'],
  // In theory about Accept; in practice how application firewalls turn crawlers away.
  [406, 'access-denied'],
  [407, 'access-denied'],
  // The four of the 4xx that say "not now" or "not on this connection".
  [408, 'server-error'],
  [421, 'server-error'],
  [423, 'server-error'],
  [425, 'server-error'],
  // 420, 509, 529 and 999 are in no standard, but in use.
  [420, 'rate-limited'],
  [429, 'rate-limited'],
  [451, 'access-denied'],
  [503, 'rate-limited'],
  [509, 'rate-limited'],
  [529, 'rate-limited'],
  [999, 'access-denied'],
])

/** The meaning of a final status: 1xx, and what is outside 200 to 599, cannot be trusted. */
export function meaningOfHttpStatus(status: number): HttpStatusMeaning {
  const special = MEANINGS.get(status)
  if (special !== undefined) return special
  if (status < 200 || status > 599) return 'malformed'
  if (status < 300) return 'success'
  if (status < 400) return 'moved-permanently'
  // A 4xx is the client's mistake: the same request of the same client would get the same response.
  return status < 500 ? 'gone' : 'server-error'
}

/** Nutch's protocol statuses, by name. */
export type ProtocolStatusName = keyof typeof PROTOCOL_STATUSES

/**
 * Statuses by which firewalls turn clients away, often for some hours only: such a page is tried again before it is given up.
 * 401, 402, 407 and 451 are about the page itself.
 */
const BLOCKING_STATUSES: ReadonlySet<number> = new Set([403, 406, 999])

/** Whether the server refuses us now and may not later. */
export function isBlockingStatus(httpStatus: number): boolean {
  return BLOCKING_STATUSES.has(httpStatus)
}

/** The fetch statuses a CrawlDb update reads, by name; their codes are in `FETCH_STATUS_CODES`. */
export type FetchStatusName = keyof typeof FETCH_STATUS_CODES

export const FETCH_STATUS_CODES = {
  fetch_success: 0x21,
  fetch_retry: 0x22,
  fetch_redir_temp: 0x23,
  fetch_redir_perm: 0x24,
  fetch_gone: 0x25,
  fetch_notmodified: 0x26,
} as const

/**
 * Code and fetch status of each protocol status, as Nutch has them but for two: PROTO_NOT_FOUND and NOTFETCHING are gone, not
 * retried, because no second try can change our own refusal.
 */
export const PROTOCOL_STATUSES = {
  SUCCESS: { code: 1, fetchStatus: 'fetch_success' },
  FAILED: { code: 2, fetchStatus: 'fetch_retry' },
  PROTO_NOT_FOUND: { code: 10, fetchStatus: 'fetch_gone' },
  GONE: { code: 11, fetchStatus: 'fetch_gone' },
  MOVED: { code: 12, fetchStatus: 'fetch_redir_perm' },
  TEMP_MOVED: { code: 13, fetchStatus: 'fetch_redir_temp' },
  NOTFOUND: { code: 14, fetchStatus: 'fetch_gone' },
  RETRY: { code: 15, fetchStatus: 'fetch_retry' },
  EXCEPTION: { code: 16, fetchStatus: 'fetch_retry' },
  ACCESS_DENIED: { code: 17, fetchStatus: 'fetch_gone' },
  ROBOTS_DENIED: { code: 18, fetchStatus: 'fetch_gone' },
  REDIR_EXCEEDED: { code: 19, fetchStatus: 'fetch_retry' },
  NOTFETCHING: { code: 20, fetchStatus: 'fetch_gone' },
  NOTMODIFIED: { code: 21, fetchStatus: 'fetch_notmodified' },
  WOULDBLOCK: { code: 22, fetchStatus: 'fetch_retry' },
  BLOCKED: { code: 23, fetchStatus: 'fetch_retry' },
} as const satisfies Record<string, { readonly code: number; readonly fetchStatus: FetchStatusName }>

/** `undefined` for a code that stands for none. */
export function protocolStatusName(code: number): ProtocolStatusName | undefined {
  return NAMES.get(code)
}

const NAMES = new Map(
  Object.entries(PROTOCOL_STATUSES).map(([name, { code }]) => [code as number, name as ProtocolStatusName]),
)

export function isProtocolStatus(name: string): name is ProtocolStatusName {
  return Object.hasOwn(PROTOCOL_STATUSES, name)
}

/** The protocol status of each kind of outcome. A function where a detail decides. */
const OUTCOME_STATUSES: { readonly [Kind in FetchOutcome['kind']]: StatusRule<Kind> } = {
  success: 'SUCCESS',
  moved: (outcome) => (outcome.permanent ? 'MOVED' : 'TEMP_MOVED'),
  'not-modified': 'NOTMODIFIED',
  gone: 'GONE',
  'not-found': 'NOTFOUND',
  'access-denied': 'ACCESS_DENIED',
  // Not an exception: the host works and requests a delay, so it must not count as the host's error.
  'rate-limited': 'RETRY',
  'server-error': 'EXCEPTION',
  // Who aborts is we ourselves; the host did nothing wrong.
  'network-failure': (outcome) => (outcome.cause === 'aborted' ? 'RETRY' : 'EXCEPTION'),
  blocked: 'BLOCKED',
  refused: ({ cause }) => {
    // A name may have another address next time, and the operator may allow this one.
    if (cause === 'address') return 'RETRY'
    return cause === 'scheme' ? 'PROTO_NOT_FOUND' : 'NOTFETCHING'
  },
  'too-large': 'NOTFETCHING',
  'too-slow': 'EXCEPTION',
  malformed: 'FAILED',
  unsupported: 'FAILED',
}

type StatusRule<Kind extends FetchOutcome['kind']> =
  | ProtocolStatusName
  | ((outcome: Extract<FetchOutcome, { readonly kind: Kind }>) => ProtocolStatusName)

/** The fetch status of what came of a request: that of its protocol status, but for a page that a firewall may have blocked. */
export function fetchStatusOf(outcome: FetchOutcome): FetchStatusName {
  if (outcome.kind === 'access-denied' && isBlockingStatus(outcome.response.status)) return 'fetch_retry'
  return PROTOCOL_STATUSES[protocolStatusOf(outcome)].fetchStatus
}

/** Nutch's name for what came of a request. `PROTOCOL_STATUSES` has its code and the fetch status it is written as. */
export function protocolStatusOf(outcome: FetchOutcome): ProtocolStatusName {
  // The rule of a kind takes outcomes of that kind: known here, but not to the type checker.
  const rule = OUTCOME_STATUSES[outcome.kind] as StatusRule<never>
  return typeof rule === 'function' ? rule(outcome as never) : rule
}
