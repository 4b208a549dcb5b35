import { headerFault, isMethod } from '../../domain/fetch/headers.ts'
import type { CrawlRequest } from '../../domain/frontier/crawl-request.ts'
import { SESSION_ID } from '../../domain/frontier/session-store.ts'
import { isNormalUrl } from '../../domain/url/is-normal-url.ts'
import { ownFingerprint, type SeenFingerprint } from './seen-options.ts'

/**
 * The five arguments by which the scripts add a request.
 * @param isPushed it comes from a start message: it is remembered although it is not compared, so that links to it do not fetch it again
 * @throws RangeError for a priority or a time that is not a finite number
 */
export function requestArguments(
  request: CrawlRequest,
  host: string,
  fingerprintOf: SeenFingerprint = ownFingerprint,
  isPushed = false,
): string[] {
  const { priority = 0, notBefore = 0, dontFilter = false, url, from, redirectedFrom } = request
  if (!Number.isFinite(priority) || !Number.isFinite(notBefore))
    throw new RangeError(`the priority or the time of the request for ${url} is not a finite number`)
  // So is the page that a start message was redirected to: most home pages are reached in this way.
  const isRemembered = isPushed || (from === undefined && redirectedFrom !== undefined)
  const fingerprint = dontFilter && !isRemembered ? '' : `${dontFilter ? '!' : ''}${fingerprintOf(request)}`
  return [fingerprint, dueTime(notBefore), String(-priority), host, JSON.stringify(request)]
}

/** Ms since the epoch, rounded up, as scripts take it. */
export function dueTime(at: number): string {
  return String(Math.min(Math.max(Math.ceil(at), 0), LAST_TIME))
}

/** The stored request; `undefined` if it is not one that can be sent. Any program with access to Redis may have written it. */
export function readRequest(json: string): CrawlRequest | undefined {
  const value = parseJson(json)
  return isRequest(value) ? value : undefined
}

/** `undefined` if it is not JSON, or nested so deep that writing it again could exhaust the stack. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isShallow(value, MAX_NESTING) ? value : undefined
  } catch {
    return undefined
  }
}

const MAX_NESTING = 100

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1))
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isRequest(value: unknown): value is CrawlRequest {
  return isRecord(value) && Object.entries(MEMBERS).every(([name, isGood]) => isGood(value[name]))
}

const MEMBERS: Readonly<Record<keyof CrawlRequest, (value: unknown) => boolean>> = {
  url: isWebUrl,
  method: optional((value) => typeof value === 'string' && isMethod(value)),
  headers: optional(areHeaders),
  body: optional(isText),
  base64: optional((value) => typeof value === 'boolean'),
  handler: (value) => typeof value === 'string' && value !== '' && value.length <= MAX_HANDLER_CHARS,
  meta: optional(isRecord),
  priority: optional(Number.isFinite),
  dontFilter: optional((value) => typeof value === 'boolean'),
  notBefore: optional(Number.isFinite),
  session: optional((value) => typeof value === 'string' && SESSION_ID.test(value)),
  depth: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  from: optional(isWebUrl),
  redirectedFrom: optional((value) => Array.isArray(value) && value.every(isWebUrl)),
}

const MAX_HANDLER_CHARS = 1_000

function optional(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isGood(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** The HTTP client refuses a request with any other header, such as `host`. */
function areHeaders(value: unknown): boolean {
  if (!isRecord(value)) return false
  return Object.entries(value).every(
    ([name, text]) => typeof text === 'string' && headerFault(name, text) === undefined,
  )
}

function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string') return false
  return isNormalUrl(value) || (/^https?:\/\/./.test(value) && URL.canParse(value))
}

/** A count or a time that was stored: 0 to `LAST_TIME`, whatever Redis holds. What is not a number is 0. */
export function numberIn(value: unknown): number {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  // Not of NaN: every comparison with it is false.
  return number > 0 ? Math.min(number, LAST_TIME) : 0
}

/** The last time a `Date` can hold (ms since the epoch). It stands for "never", and Lua scripts keep it exactly. */
export const LAST_TIME = 8.64e15
