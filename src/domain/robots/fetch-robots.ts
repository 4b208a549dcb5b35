import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome, NetworkFailureCause } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import { validatorsOf } from '../fetch/fetcher.ts'
import type { HeaderList } from '../fetch/headers.ts'
import { isWebUrl } from '../fetch/protocol.ts'
import { MAX_ROBOTS_BYTES } from './parse-robots.ts'
import type { RobotsCopy } from './robots-record.ts'
import type { HostFailure } from './robots-verdict.ts'

/** Sends one request through the queue of its host, and returns the outcome. */
export type SendRequest = (request: FetchRequest) => Promise<FetchOutcome>

/** The result of fetching the robots.txt of an origin. */
export type RobotsFetchResult =
  | (Omit<RobotsCopy, 'checkedAt' | 'freshUntil'> & WithHeaders)
  | ({ readonly kind: 'unavailable' | 'denied'; readonly reason: string } & WithHeaders)
  /** `retryAt`: the earliest next attempt, if the server gave one (ms since the epoch). */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly retryAt?: number }
  /** Aborted by this process, or not sent: it says nothing about the server. */
  | { readonly kind: 'aborted' }
  /** No connection to the origin, or a connection that is not allowed. A request for a page would fail in the same way. */
  | { readonly kind: 'host-failure'; readonly outcome: HostFailure }

interface WithHeaders {
  /** Headers of the last response. They determine how long the result is valid. */
  readonly headers: HeaderList
}

const MAX_REDIRECTS = 5

/**
 * Fetches the robots.txt of `origin` and follows redirects to any host: the rules are still those of `origin` (RFC 9309, 2.3.1.2). More
 * than five redirects, or a redirect loop, count as no file.
 * @param copy the stored copy, for a conditional request
 */
export async function fetchRobots(
  origin: string,
  copy: RobotsCopy | undefined,
  send: SendRequest,
): Promise<RobotsFetchResult> {
  const seen = new Set<string>()
  let url = `${origin}/robots.txt`
  for (;;) {
    seen.add(url)
    const outcome = await send(requestFor(url, copy))
    if (seen.size === 1 && isHostFailure(outcome)) return { kind: 'host-failure', outcome }
    if (outcome.kind !== 'moved') return resultOf(outcome, url, copy)
    url = outcome.to.split('#', 1)[0] ?? ''
    if (!isWebUrl(url) && !url.startsWith(`${origin}/`))
      return unavailable('robots.txt redirects to another protocol', outcome.response.headers)
    if (seen.has(url)) return unavailable('robots.txt has a redirect loop', outcome.response.headers)
    if (seen.size > MAX_REDIRECTS) {
      return unavailable(`robots.txt redirects more than ${MAX_REDIRECTS} times`, outcome.response.headers)
    }
  }
}

/** Failures before the first byte of the request was sent. */
const NOT_CONNECTED: ReadonlySet<NetworkFailureCause> = new Set([
  'dns-not-found',
  'dns-failed',
  'connect-refused',
  'connect-timeout',
  'connect-failed',
  'tls',
  'proxy',
])

function isHostFailure(outcome: FetchOutcome): outcome is HostFailure {
  return (
    outcome.kind === 'refused' || (outcome.kind === 'network-failure' && NOT_CONNECTED.has(outcome.cause))
  )
}

/** One byte more than is parsed, so that the parser can tell whether the file was longer. */
const MAX_BODY_BYTES = MAX_ROBOTS_BYTES + 1

function requestFor(url: string, copy: RobotsCopy | undefined): FetchRequest {
  const request = { url, maxBodyBytes: MAX_BODY_BYTES }
  return copy?.url === url ? { ...request, validators: copy.validators } : request
}

function resultOf(
  outcome: Exclude<FetchOutcome, { kind: 'moved' }>,
  url: string,
  copy: RobotsCopy | undefined,
): RobotsFetchResult {
  if (outcome.kind === 'blocked') return { kind: 'aborted' }
  if (outcome.kind === 'network-failure' && outcome.cause === 'aborted') return { kind: 'aborted' }
  if (!('response' in outcome)) {
    const what = 'cause' in outcome ? `${outcome.kind}: ${outcome.cause}` : outcome.kind
    const why = outcome.kind === 'refused' ? `${what}, ${outcome.detail}` : what
    return unreachable(`robots.txt could not be fetched (${why})`)
  }
  const { status, headers } = outcome.response
  const reason = `robots.txt returned ${status}`
  if (outcome.kind === 'success') return fileOf(outcome, url)
  if (outcome.kind === 'not-modified') {
    // The request was not conditional, so a 304 is an error of the server.
    if (copy?.url !== url) return unreachable(reason)
    const { octets, cut, validators } = copy
    return {
      kind: 'file',
      octets,
      cut,
      url,
      validators: { ...validators, ...validatorsOf(headers) },
      headers,
    }
  }
  if (status === 401 || status === 403) return { kind: 'denied', reason, headers }
  if (status >= 300 && status < 500 && status !== 429) return unavailable(reason, headers)
  if (outcome.kind === 'unsupported') return unreachable('robots.txt has an unknown content coding')
  return unreachable(reason, outcome.kind === 'rate-limited' ? outcome.retryAt : undefined)
}

function fileOf(
  { response, body }: Extract<FetchOutcome, { kind: 'success' }>,
  url: string,
): RobotsFetchResult {
  // A file that was cut at the size limit is valid (500 KiB rule). After any other truncation the missing part may disallow the URL.
  if (body.truncated !== undefined && body.truncated !== 'size') {
    return unreachable(`robots.txt broke off (${body.truncated})`)
  }
  const octets = Buffer.from(body.bytes.subarray(0, MAX_BODY_BYTES)).toString('latin1')
  const { headers } = response
  return {
    kind: 'file',
    octets,
    cut: body.truncated === 'size',
    url,
    validators: validatorsOf(headers) ?? {},
    headers,
  }
}

function unavailable(reason: string, headers: HeaderList): RobotsFetchResult {
  return { kind: 'unavailable', reason, headers }
}

function unreachable(reason: string, retryAt?: number): RobotsFetchResult {
  return { kind: 'unreachable', reason, ...withoutUndefined({ retryAt }) }
}
