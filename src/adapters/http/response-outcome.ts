import { printable } from '../../base/printable.ts'
import { releaseBytes } from '../../base/release-bytes.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type {
  FetchedBody,
  FetchOutcome,
  FetchTimings,
  HttpResponse,
  Truncation,
} from '../../domain/fetch/fetch-outcome.ts'
import { meaningOfHttpStatus } from '../../domain/fetch/fetch-status.ts'
import type { FetchRequest } from '../../domain/fetch/fetcher.ts'
import { header } from '../../domain/fetch/headers.ts'
import { codingsOf, type DecodeLimits, decodeBody } from './content-coding.ts'
import type { Exchange } from './exchange.ts'
import { parseRetryAfter, type RetryAfterBounds } from './retry-after.ts'

export interface ResponseRules {
  readonly decode: DecodeLimits
  readonly retryAfter: RetryAfterBounds
}

/** What the response that `exchange` received means for `request`. A promise when there is a body: it may have to be decoded. */
export function outcomeOfResponse(
  request: FetchRequest,
  exchange: Exchange,
  response: HttpResponse,
  timings: FetchTimings,
  rules: ResponseRules,
): FetchOutcome | Promise<FetchOutcome> {
  const base = { url: request.url, timings, response }
  const meaning = meaningOfHttpStatus(response.status)
  switch (meaning) {
    case 'success':
      return success(request, exchange, base, rules.decode)
    case 'moved-permanently':
    case 'moved-temporarily': {
      const location = header(response.headers, 'location')
      const to = location === undefined ? null : URL.parse(location, request.url)
      if (to !== null)
        return { ...base, kind: 'moved', to: to.href, permanent: meaning === 'moved-permanently' }
      const fault = location === undefined ? 'without a Location' : `to ${location}, which is no URL`
      return {
        url: request.url,
        timings,
        kind: 'malformed',
        detail: printable(`${response.status} ${fault}`),
      }
    }
    case 'not-modified':
      if (isConditional(request)) return { ...base, kind: 'not-modified' }
      return { url: request.url, timings, kind: 'malformed', detail: '304 to a request without conditions' }
    case 'rate-limited': {
      const now = timings.startedAt + timings.totalMs
      const retryAt = parseRetryAfter(header(response.headers, 'retry-after'), now, rules.retryAfter)
      const error = { ...base, kind: 'rate-limited', ...withoutUndefined({ retryAt }) } as const
      return exchange.hasErrorBody ? withBody(error, exchange, rules.decode) : error
    }
    case 'malformed':
      return { url: request.url, timings, kind: 'malformed', detail: `status ${response.status}` }
    default: {
      const error = { ...base, kind: meaning }
      return exchange.hasErrorBody ? withBody(error, exchange, rules.decode) : error
    }
  }
}

interface OutcomeBase {
  readonly url: string
  readonly timings: FetchTimings
  readonly response: HttpResponse
}

async function success(
  request: FetchRequest,
  exchange: Exchange,
  base: OutcomeBase,
  limits: DecodeLimits,
): Promise<FetchOutcome> {
  const { cut, wireBytes } = exchange
  const sent = exchange.body.take()
  // A sink gets the body as sent.
  const codings = request.sink === undefined ? codingsOf(base.response.headers) : []
  const partial = base.response.status === 206 && !sends(request, 'range') ? 'partial' : undefined
  if (codings.length === 0)
    return { ...base, kind: 'success', body: body(sent, wireBytes, [], cut ?? partial) }

  const decoded = await decodeBody(sent, codings, limits)
  switch (decoded.kind) {
    case 'decoded':
      if (decoded.bytes.buffer !== sent.buffer) releaseBytes(sent)
      // A body that was cut on the way cannot but be damaged: what cut it is the reason.
      return {
        ...base,
        kind: 'success',
        body: body(decoded.bytes, wireBytes, decoded.undone, cut ?? decoded.truncated ?? partial),
      }
    case 'bomb':
      return {
        url: base.url,
        timings: base.timings,
        kind: 'too-large',
        cause: 'bomb',
        detail: `${wireBytes} bytes decode to more than ${limits.maxRatio} times as many`,
      }
    case 'unsupported':
      return {
        ...base,
        kind: 'unsupported',
        detail: printable(decoded.detail),
        body: body(sent, wireBytes, [], cut ?? partial),
      }
  }
}

/** The error with its body; without it when that cannot be read. */
async function withBody<E extends OutcomeBase>(
  error: E,
  exchange: Exchange,
  limits: DecodeLimits,
): Promise<E & { readonly body?: FetchedBody }> {
  const { cut, wireBytes } = exchange
  const decoded = await decodeBody(exchange.body.take(), codingsOf(error.response.headers), limits)
  if (decoded.kind !== 'decoded') return error
  return { ...error, body: body(decoded.bytes, wireBytes, decoded.undone, cut ?? decoded.truncated) }
}

function body(
  bytes: Uint8Array,
  wireBytes: number,
  decoded: readonly string[],
  truncated: Truncation | undefined,
): FetchedBody {
  return truncated === undefined ? { bytes, wireBytes, decoded } : { bytes, wireBytes, decoded, truncated }
}

function isConditional(request: FetchRequest): boolean {
  const { etag, lastModified } = request.validators ?? {}
  if (etag !== undefined || lastModified !== undefined) return true
  return sends(request, 'if-none-match') || sends(request, 'if-modified-since')
}

/** Whether the caller added this header (lower case). */
function sends({ headers }: FetchRequest, name: string): boolean {
  return headers !== undefined && Object.keys(headers).some((given) => given.toLowerCase() === name)
}
