import { withoutUndefined } from '../../base/without-undefined.ts'
import type { FetchOutcome, NetworkFailureCause } from '../fetch/fetch-outcome.ts'
import type { FetchRequest } from '../fetch/fetcher.ts'
import { validatorsOf } from '../fetch/fetcher.ts'
import type { HeaderList } from '../fetch/headers.ts'
import { MAX_ROBOTS_BYTES } from './parse-robots.ts'
import type { RobotsCopy } from './robots-record.ts'
import type { HostFailure } from './robots-verdict.ts'

/** Sends one request through the queue of the host it is for, and waits for what comes of it. */
export type Ask = (request: FetchRequest) => Promise<FetchOutcome>

/** What asking an origin for its robots.txt came to. */
export type RobotsReply =
  | (Omit<RobotsCopy, 'checkedAt' | 'freshUntil'> & WithHeaders)
  | ({ readonly kind: 'unavailable' | 'denied'; readonly reason: string } & WithHeaders)
  /** `retryAt`: not before, the server said. */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly retryAt?: number }
  /** We broke it off or never asked, so it says nothing about the server. */
  | { readonly kind: 'aborted' }
  /** No connection to the origin itself, or none that we may make. That is not about robots.txt: a page would fail in the same way. */
  | { readonly kind: 'host-failure'; readonly outcome: HostFailure }

interface WithHeaders {
  /** Of the last response, for its lifetime. */
  readonly headers: HeaderList
}

const MAX_REDIRECTS = 5

/**
 * Asks `origin` for its robots.txt, following redirects to wherever they lead: the rules are the origin's all the
 * same (RFC 9309, 2.3.1.2). More than five, or going round in a circle, is as good as having no file.
 * @param copy what we have, to ask whether it changed
 */
export async function askRobots(
  origin: string,
  copy: RobotsCopy | undefined,
  ask: Ask,
): Promise<RobotsReply> {
  const seen = new Set<string>()
  let url = `${origin}/robots.txt`
  for (;;) {
    seen.add(url)
    const outcome = await ask(requestFor(url, copy))
    if (seen.size === 1 && isHostFailure(outcome)) return { kind: 'host-failure', outcome }
    if (outcome.kind !== 'moved') return replyOf(outcome, url, copy)
    url = outcome.to.split('#', 1)[0] ?? ''
    if (seen.has(url)) return unavailable('robots.txt redirects in a circle', outcome.response.headers)
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

/** One byte more than is read, so that the parser sees there was more. */
const MAX_BODY_BYTES = MAX_ROBOTS_BYTES + 1

function requestFor(url: string, copy: RobotsCopy | undefined): FetchRequest {
  const request = { url, maxBodyBytes: MAX_BODY_BYTES }
  return copy?.url === url ? { ...request, validators: copy.validators } : request
}

function replyOf(
  outcome: Exclude<FetchOutcome, { kind: 'moved' }>,
  url: string,
  copy: RobotsCopy | undefined,
): RobotsReply {
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
    // A response to a question that was not asked is worth nothing.
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
  if (outcome.kind === 'unsupported') return unreachable('robots.txt came in an unknown content coding')
  return unreachable(reason, outcome.kind === 'rate-limited' ? outcome.retryAt : undefined)
}

function fileOf({ response, body }: Extract<FetchOutcome, { kind: 'success' }>, url: string): RobotsReply {
  // Cut by size, it is the 500 KiB rule. Cut by an accident, the missing half may be the one that says no.
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

function unavailable(reason: string, headers: HeaderList): RobotsReply {
  return { kind: 'unavailable', reason, headers }
}

function unreachable(reason: string, retryAt?: number): RobotsReply {
  return { kind: 'unreachable', reason, ...withoutUndefined({ retryAt }) }
}
