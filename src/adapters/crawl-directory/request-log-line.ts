import { createHash } from 'node:crypto'
import { withoutUserInfo } from '../../domain/certificate/request-log-entry.ts'
import type { FetchOutcome } from '../../domain/fetch/fetch-outcome.ts'
import type { ObservedRequest, ObservedRobots } from '../../domain/fetch/request-observer.ts'
import { hostOf } from '../../domain/url/host-of.ts'

/**
 * The lines of a request log. The line of a request is built from strings, not with JSON.stringify of an object: that takes half the time,
 * and it is done for every request.
 */

export interface RequestLineParts {
  /** Only if the request had an `open` line. */
  readonly id: number
  readonly limits: number
  /** 0: none. */
  readonly robots: number
}

/** A request that is still in flight. */
export function openLine(request: ObservedRequest, parts: RequestLineParts): string {
  return `{"type":"open","id":${parts.id},"start":${tenths(request.startedAt)}${commonFields(request, parts)}}\n`
}

export function requestLine(
  request: ObservedRequest,
  outcome: FetchOutcome | undefined,
  parts: RequestLineParts,
): string {
  const { startedAt, endedAt = startedAt, delayMs = 0 } = request
  let line = `{"type":"request","start":${tenths(startedAt)},"end":${tenths(endedAt)}`
  if (parts.id !== 0) line += `,"id":${parts.id}`
  line += commonFields(request, parts)
  if (outcome !== undefined) line += outcomeFields(outcome)
  return `${line},"delayMs":${tenths(delayMs)}}\n`
}

/** The end of a request that had an `open` line and was not sent after all. */
export function unsentLine({ startedAt, endedAt = startedAt }: ObservedRequest, id: number): string {
  return logLine({
    type: 'request',
    id,
    start: tenths(startedAt),
    end: tenths(endedAt),
    url: '',
    notSent: true,
  })
}

function commonFields(request: ObservedRequest, { limits, robots }: RequestLineParts): string {
  const { key, purpose, method = 'GET', isConditional = false } = request
  const url = withoutUserInfo(request.url)
  let fields = `,"url":${JSON.stringify(url)}`
  if (hostOf(url) !== key) fields += `,"host":${JSON.stringify(key)}`
  if (purpose !== 'page') fields += `,"purpose":"${purpose}"`
  if (method !== 'GET') fields += `,"method":${JSON.stringify(method)}`
  if (isConditional) fields += ',"conditional":true'
  fields += `,"limits":${limits}`
  return robots === 0 ? fields : `${fields},"robots":${robots}`
}

function outcomeFields(outcome: FetchOutcome): string {
  let fields = ''
  if ('response' in outcome) fields += `,"status":${outcome.response.status}`
  else fields += `,"failure":"${'cause' in outcome ? outcome.cause : outcome.kind}"`
  if ('body' in outcome && outcome.body !== undefined) fields += `,"bytes":${outcome.body.wireBytes}`
  if (outcome.kind === 'rate-limited' && outcome.retryAt !== undefined)
    fields += `,"retryAt":${tenths(outcome.retryAt)}`
  return fields
}

/** Whether a request with this outcome reached the network. Without an outcome it was not valid. */
export function wasSent(outcome: FetchOutcome | undefined): boolean {
  return outcome !== undefined && outcome.kind !== 'blocked' && outcome.kind !== 'refused'
}

export function robotsLine(
  id: number,
  host: string,
  { origin, finding, outage }: ObservedRobots,
  isKnown: (hash: string) => boolean,
): string {
  const { kind, checkedAt, octets, cut } = finding ?? {}
  const hash = octets === undefined ? undefined : createHash('sha256').update(octets, 'latin1').digest('hex')
  const reason = outage?.reason ?? finding?.reason
  return logLine({
    ...{ type: 'robots', id, origin, host, state: kind ?? 'unreachable', checkedAt, reason, hash },
    ...(outage !== undefined && { outage: true }),
    ...(cut === true && { cut }),
    ...(hash !== undefined && !isKnown(hash) && { text: octets }),
  })
}

export function disallowedLine(at: number, url: string, key: string, robots: number): string {
  const shown = withoutUserInfo(url)
  const host = hostOf(shown) === key ? undefined : key
  return logLine({ type: 'disallowed', at: tenths(at), url: shown, host, ...(robots !== 0 && { robots }) })
}

export function logLine(entry: object): string {
  return `${JSON.stringify(entry)}\n`
}

/** Microseconds are noise, and take much space. */
export function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
