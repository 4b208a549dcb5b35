import type { Settlement } from '../../domain/frontier/settlement.ts'
import type { Lent } from './held-hosts.ts'
import type { SeenFingerprint } from './seen-fingerprint.ts'
import { dueTime, requestArguments } from './stored-request.ts'

export interface SettlementArguments {
  /** Requests of a page with very many links, to be added before: what adds them twice adds them once. */
  readonly before: ReadonlyArray<readonly string[]>
  /** As `scripts/settle.ts` takes them. */
  readonly args: readonly string[]
}

/**
 * The arguments by which a script settles a request, with all that came of it.
 * @throws RangeError when they are more than one call to Redis can take, or one of the requests or items cannot be written
 */
export function settlementArguments(
  { id, end, requests, items, rejected }: Settlement,
  { host, url }: Lent,
  keyOf: (url: string) => string,
  fingerprint: SeenFingerprint,
): SettlementArguments {
  const links = uniqueRequests(
    requests.map((request) => requestArguments(request, keyOf(request.url), fingerprint)),
  )
  // Those that are not filtered would be added again by the worker that repeats the page.
  const isBefore = ([filter]: readonly string[]) => links.length > MAX_LINKS && filter !== ''
  const within = links.filter((link) => !isBefore(link))
  const hasTime = (end.kind === 'retry' || end.kind === 'requeue') && end.at !== undefined
  const args = [
    ...leaseArguments(id),
    ...[host, items.length > 0 ? url : '', end.kind],
    hasTime ? dueTime(end.at) : '',
    end.kind === 'failed' ? failureJson(end.code, end.reason, end.stack) : retryReason(end),
    ...[String(items.length), ...items.map((item) => JSON.stringify(item))],
    ...[
      String(rejected.length),
      ...rejected.map(({ item, reason }) => JSON.stringify({ url, item, reason })),
    ],
    ...[String(requests.length - links.length), String(within.length), ...within.flat()],
  ]
  const length = args.reduce((sum, text) => sum + text.length, 0)
  if (length > MAX_LENGTH)
    throw new RangeError(
      `its items and requests take ${Math.ceil(length / 1e6)} MB, more than the ${MAX_LENGTH / 1e6} MB that go to Redis at once`,
    )
  return { before: links.filter(isBefore), args }
}

/** The arguments that put a request among the dead letters because it cannot be settled. */
export function unsettledArguments(id: string, host: string, cause: unknown): string[] {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const failure = failureJson('cannot-settle', reason, undefined)
  return [...leaseArguments(id), host, '', 'failed', '', failure, '0', '0', '0', '0']
}

/** One of few words, to count by. */
function retryReason(end: Settlement['end']): string {
  return end.kind === 'retry' ? end.reason.replaceAll(/\W+/g, '-').slice(0, 40) : ''
}

/** The arguments that move a request out of the way which is none. */
export function malformedArguments(id: string, host: string, stored: string): string[] {
  return [...leaseArguments(id), host, '', 'malformed', '', stored, '0', '0', '0', '0']
}

/** The arguments that queue a request under another host: that of `request`, which are the arguments to add it. */
export function movedArguments(id: string, host: string, request: readonly string[]): string[] {
  return [...leaseArguments(id), host, '', 'moved', '', '', '0', '0', '0', '1', ...request]
}

/** An id is `<fence>-<call>-<arrival>`: no other lease has it. */
function leaseArguments(id: string): string[] {
  return id.split('-').slice(1)
}

/** The first of those with the same fingerprint, and all that are not filtered. */
function uniqueRequests(requests: ReadonlyArray<readonly string[]>): Array<readonly string[]> {
  const seen = new Set<string>()
  return requests.filter(([fingerprint = '']) => {
    if (fingerprint === '') return true
    if (seen.has(fingerprint)) return false
    seen.add(fingerprint)
    return true
  })
}

/** The members of the object, without its braces: the script adds others. */
function failureJson(code: string, reason: string, stack: string | undefined): string {
  return JSON.stringify({ code, reason, stack }).slice(1, -1)
}

/** Requests that are added in the same step as their page: Redis does nothing else meanwhile. */
const MAX_LINKS = 1_000
/** Characters. Redis takes a call of 1 GB. */
const MAX_LENGTH = 200_000_000
