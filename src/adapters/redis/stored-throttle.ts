import { printable } from '../../base/printable.ts'
import type { HostState } from '../../domain/politeness/host-throttle.ts'
import { isRecord, LAST_TIME, parseJson } from './stored-request.ts'

/** The arguments by which the scripts store the throttle state of a host: its next allowed time, the time after which it may be forgotten, JSON. */
export type ThrottleArguments = readonly [host: string, readyAt: string, forgetAt: string, state: string]

export function throttleArguments(throttle: HostState, keepThrottleMs: number): ThrottleArguments {
  const { key, readyAt, failures, crawlDelayMs, parked } = throttle
  const free = Math.max(readyAt, parked?.until ?? 0)
  const forgetAt = free + (failures > 0 || crawlDelayMs > 0 ? keepThrottleMs : 0)
  return [key, time(readyAt), time(forgetAt), JSON.stringify(throttle)]
}

/**
 * The throttle state of a host for its next owner.
 *
 * Requests of a lost worker are unknown. So the host is delayed as if it had been requested when the lease ended: by the delay
 * after its last response, its Crawl-delay, or `restMs`, whichever is longest.
 * @param json of a `HostState`, `''` if none is stored; any program may have written it
 * @param lostAt ms since the epoch, `''` when no worker was lost
 * @param restMs the default delay between two requests to one host
 */
export function readThrottle(
  host: string,
  json: string,
  lostAt: string,
  { restMs, now }: { readonly restMs: number; readonly now: number },
): HostState | undefined {
  if (json === '' && lostAt === '') return undefined
  const stored = json === '' ? nothingKnown(host) : stateOf(host, parseJson(json))
  // An unreadable state must not allow an immediate request.
  if (stored === undefined) return { ...nothingKnown(host), readyAt: now + restMs }
  if (!/^\d+(\.\d+)?$/.test(lostAt)) return stored
  // A lease that has ended did not end in the future.
  const lost = Math.min(Number(lostAt), now)
  const { readyAt, endedAt = readyAt, crawlDelayMs } = stored
  const delayMs = Math.max(restMs, crawlDelayMs, readyAt - endedAt)
  const delayedUntil = Math.min(lost + delayMs, LAST_TIME)
  return { ...stored, endedAt: Math.max(endedAt, lost), readyAt: Math.max(readyAt, delayedUntil) }
}

function nothingKnown(key: string): HostState {
  return { key, readyAt: 0, failures: 0, crawlDelayMs: 0, latencyMs: 0 }
}

function stateOf(key: string, value: unknown): HostState | undefined {
  if (!isRecord(value)) return undefined
  const { readyAt, endedAt, failures, crawlDelayMs, latencyMs, parked } = value
  if (!isTime(readyAt) || !isTime(failures) || !isTime(crawlDelayMs) || !isTime(latencyMs)) return undefined
  const isParked = isRecord(parked) && isTime(parked['until'])
  return {
    ...{ key, readyAt, failures, crawlDelayMs, latencyMs },
    ...(isTime(endedAt) && { endedAt }),
    ...(isParked && {
      parked: { until: Number(parked['until']), reason: printable(textOf(parked['reason']), 200) },
    }),
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LAST_TIME
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function time(ms: number): string {
  return String(Math.min(Math.max(Math.ceil(ms), 0), LAST_TIME))
}

/** The throttle state of hosts as this process last reported it, for a Redis that comes back without it. */
export class RememberedThrottle {
  readonly #throttles = new Map<string, readonly string[]>()

  /** @param throttle as `throttleArguments` makes it @param now ms since the epoch */
  add(throttle: readonly string[], now: number): void {
    const [host = ''] = throttle
    this.#throttles.delete(host)
    this.#throttles.set(host, throttle)
    // The oldest are looked at in passing, so that the map does not grow with the crawl.
    for (const [oldest, state] of [...this.#throttles.entries().take(LOOKED_AT)])
      if (this.#throttles.size > MAX_HOSTS || !isOfUse(state, now)) this.#throttles.delete(oldest)
  }

  /** Those that still matter. */
  all(now: number): Array<readonly string[]> {
    return [...this.#throttles.values().filter((state) => isOfUse(state, now))]
  }
}

function isOfUse([, , forgetAt]: readonly string[], now: number): boolean {
  return Number(forgetAt) > now
}

const LOOKED_AT = 2
const MAX_HOSTS = 100_000
