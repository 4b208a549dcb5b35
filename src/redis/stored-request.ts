import type { CrawlRequest } from '../frontier/crawl-request.ts'
import { ownFingerprint, type SeenFingerprint } from './seen-fingerprint.ts'

/** The five arguments by which the scripts add a request. @throws RangeError for a priority or a time that is no number */
export function requestArguments(
  request: CrawlRequest,
  host: string,
  fingerprintOf: SeenFingerprint = ownFingerprint,
): string[] {
  const { priority = 0, notBefore = 0, dontFilter = false, url } = request
  if (Number.isNaN(priority) || Number.isNaN(notBefore))
    throw new RangeError(`the priority or the time of the request for ${url} is not a number`)
  const fingerprint = dontFilter ? '' : fingerprintOf(request)
  return [fingerprint, dueTime(notBefore), String(-priority), host, JSON.stringify(request)]
}

/** Ms since the epoch, rounded up, as scripts take it. */
export function dueTime(at: number): string {
  return String(Math.min(Math.max(Math.ceil(at), 0), LAST_TIME))
}

/** "For ever", as a number that the scripts keep exactly. */
const LAST_TIME = 8.64e15

/** What was stored, if it is a request: anybody may have written it. */
export function readRequest(json: string): CrawlRequest | undefined {
  const value = parseJson(json)
  return isRequest(value) ? value : undefined
}

/** `undefined` when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isRequest(value: unknown): value is CrawlRequest {
  return isRecord(value) && Object.entries(MEMBERS).every(([name, isGood]) => isGood(value[name]))
}

const MEMBERS: Readonly<Record<keyof CrawlRequest, (value: unknown) => boolean>> = {
  url: isWebUrl,
  method: optional((value) => typeof value === 'string' && /^[A-Z]+$/.test(value)),
  headers: optional((value) => isRecord(value) && Object.values(value).every(isText)),
  body: optional(isText),
  base64: optional((value) => typeof value === 'boolean'),
  handler: isText,
  meta: optional(isRecord),
  priority: optional(Number.isFinite),
  dontFilter: optional((value) => typeof value === 'boolean'),
  notBefore: optional(Number.isFinite),
  depth: Number.isFinite,
  from: optional(isText),
  redirectedFrom: optional((value) => Array.isArray(value) && value.every(isText)),
}

function optional(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || isGood(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isWebUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/./.test(value) && URL.canParse(value)
}
