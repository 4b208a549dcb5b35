import type { FetchOutcome } from './fetch-outcome.ts'

/** The meaning of an HTTP status, without regard to Location, validators and body. */
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
 * The statuses that differ from the default of their class (4xx, 5xx). Nutch treats most of them as an exception; here they are
 * access-denied, rate-limited, server-error or gone.
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
  // Defined for Accept headers, but application firewalls use it to block crawlers.
  [406, 'access-denied'],
  [407, 'access-denied'],
  // The four 4xx statuses that mean "not now" or "not on this connection".
  [408, 'server-error'],
  [421, 'server-error'],
  [423, 'server-error'],
  [425, 'server-error'],
  // 420, 509, 529 and 999 are not standardised, but in use.
  [420, 'rate-limited'],
  [429, 'rate-limited'],
  [451, 'access-denied'],
  [503, 'rate-limited'],
  [509, 'rate-limited'],
  [529, 'rate-limited'],
  [999, 'access-denied'],
])

/** The meaning of a final status. 1xx, and statuses outside 200 to 599, are malformed. */
export function meaningOfHttpStatus(status: number): HttpStatusMeaning {
  const special = MEANINGS.get(status)
  if (special !== undefined) return special
  if (status < 200 || status > 599) return 'malformed'
  if (status < 300) return 'success'
  if (status < 400) return 'moved-permanently'
  // A 4xx is an error of the client: the same request would get the same response.
  return status < 500 ? 'gone' : 'server-error'
}

/** Nutch's protocol statuses, by name. */
export type ProtocolStatusName = keyof typeof PROTOCOL_STATUSES

/**
 * Statuses with which firewalls block clients, often for some hours only: such a page is retried before it counts as gone.
 * 401, 402, 407 and 451 concern the page itself.
 */
const BLOCKING_STATUSES: ReadonlySet<number> = new Set([403, 406, 999])

/** Whether a later request may succeed although the server denied access now. */
export function isBlockingStatus(httpStatus: number): boolean {
  return BLOCKING_STATUSES.has(httpStatus)
}

/** Names of the fetch statuses that a CrawlDb update reads. */
export type FetchStatusName = keyof typeof FETCH_STATUS_CODES

/** The statuses of a fetch by the names of Nutch, with the codes that its `CrawlDatum` has for them. */
export const FETCH_STATUS_CODES = {
  fetch_success: 0x21,
  fetch_retry: 0x22,
  fetch_redir_temp: 0x23,
  fetch_redir_perm: 0x24,
  fetch_gone: 0x25,
  fetch_notmodified: 0x26,
} as const

/**
 * Code and fetch status of each protocol status, as in Nutch except for two: PROTO_NOT_FOUND and NOTFETCHING are gone and not retried,
 * because the crawler itself refuses the request each time.
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

/** `undefined` for an unknown code. */
export function protocolStatusName(code: number): ProtocolStatusName | undefined {
  return NAMES.get(code)
}

const NAMES = new Map(
  Object.entries(PROTOCOL_STATUSES).map(([name, { code }]) => [code as number, name as ProtocolStatusName]),
)

export function isProtocolStatus(name: string): name is ProtocolStatusName {
  return Object.hasOwn(PROTOCOL_STATUSES, name)
}

/** The protocol status of each kind of outcome; a function where it depends on details. */
const OUTCOME_STATUSES: { readonly [Kind in FetchOutcome['kind']]: StatusRule<Kind> } = {
  success: 'SUCCESS',
  moved: (outcome) => (outcome.permanent ? 'MOVED' : 'TEMP_MOVED'),
  'not-modified': 'NOTMODIFIED',
  gone: 'GONE',
  'not-found': 'NOTFOUND',
  'access-denied': 'ACCESS_DENIED',
  // Not an exception: the host works and requests a delay, so it is not an error of the host.
  'rate-limited': 'RETRY',
  'server-error': 'EXCEPTION',
  // Aborted by this process: not an error of the host.
  'network-failure': (outcome) => (outcome.cause === 'aborted' ? 'RETRY' : 'EXCEPTION'),
  blocked: 'BLOCKED',
  refused: ({ cause }) => {
    // The name may resolve to another address next time, or the settings may allow this one.
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

/** The fetch status of an outcome: that of its protocol status, except for a page that a firewall may have blocked. */
export function fetchStatusOf(outcome: FetchOutcome): FetchStatusName {
  if (outcome.kind === 'access-denied' && isBlockingStatus(outcome.response.status)) return 'fetch_retry'
  return PROTOCOL_STATUSES[protocolStatusOf(outcome)].fetchStatus
}

/**
 * Nutch's protocol status of an outcome. `PROTOCOL_STATUSES` has its code and its fetch status.
 * @example
 * const outcome = await fetcher.fetch({ url: 'https://example.org/' })
 * const { fetchStatus } = PROTOCOL_STATUSES[protocolStatusOf(outcome)]
 */
export function protocolStatusOf(outcome: FetchOutcome): ProtocolStatusName {
  // The rule of a kind accepts outcomes of that kind, which the type checker cannot derive.
  const rule = OUTCOME_STATUSES[outcome.kind] as StatusRule<never>
  return typeof rule === 'function' ? rule(outcome as never) : rule
}
