import type { HostVerdict } from './verdict.ts'

/** Limits of a host. The defaults are those of a polite crawler. */
export interface HostLimits {
  /** Delay from the end of a response to the next request. */
  readonly minGapMs: number
  /** Delay between the starts of two requests, for hosts that allow several in parallel. @default 0 */
  readonly minStartGapMs?: number
  /** @default 1 */
  readonly maxInParallel?: number
  /** Whether /robots.txt must be requested, and its response end, before any other request. @default true */
  readonly robotsFirst?: boolean
  /** Requests beyond the first for a method and path, all together. @default 0 */
  readonly maxRepeats?: number
  /** How much too short a rest may be: Node's timers count whole milliseconds. @default 1 */
  readonly toleranceMs?: number
  /** The same after a response that the client broke off, whose end the server noticed late. @default 50 */
  readonly hangUpToleranceMs?: number
  /** The same between two starts: the first request may take longer to arrive than the second. @default 50 */
  readonly startToleranceMs?: number
}

/** The delays that the user gave; the limits that follow from them are those of the table in docs/cycle.md. */
export interface GivenDelays {
  readonly delayMs?: number
  readonly minDelayMs?: number
  readonly maxInFlight?: number
}

/** What a crawl with these settings owes to each host. */
export function limitsFor({ delayMs, minDelayMs, maxInFlight = 1 }: GivenDelays): HostLimits {
  if (maxInFlight === 1) return { minGapMs: delayMs ?? 1_000 }
  const isNutchRule = delayMs === undefined && minDelayMs !== undefined
  return {
    minGapMs: minDelayMs ?? 0,
    minStartGapMs: isNutchRule ? 0 : (delayMs ?? 1_000),
    maxInParallel: maxInFlight,
  }
}

/** Every limit that `host` saw broken, as a sentence. */
export function hostViolations(host: string, verdict: HostVerdict, limits: HostLimits): string[] {
  const { minGapMs, maxInParallel = 1, robotsFirst = true, maxRepeats = 0 } = limits
  const { toleranceMs = 1, hangUpToleranceMs = 50, minStartGapMs = 0, startToleranceMs = 50 } = limits
  const found: string[] = []
  const tooShort = (gapMs: number, why: string): void => {
    found.push(`${host}: requested again ${round(gapMs)} ms after ${why}, not ${minGapMs} ms`)
  }

  if (verdict.smallestGapMs < minGapMs - toleranceMs) tooShort(verdict.smallestGapMs, 'a response ended')
  if (verdict.smallestGapAfterHangUpMs < minGapMs - hangUpToleranceMs)
    tooShort(verdict.smallestGapAfterHangUpMs, 'a response was aborted')
  if (verdict.smallestStartGapMs < minStartGapMs - startToleranceMs)
    found.push(
      `${host}: a request started ${round(verdict.smallestStartGapMs)} ms after another, not ${minStartGapMs} ms`,
    )
  if (verdict.mostInParallel > maxInParallel)
    found.push(`${host}: ${verdict.mostInParallel} requests in parallel, not at most ${maxInParallel}`)
  if (robotsFirst && !verdict.robotsFirst) found.push(`${host}: requested before the response of /robots.txt`)
  for (const path of verdict.disallowed) found.push(`${host}: requested ${path}, which is disallowed`)

  const repeats = [...verdict.repeated.values()].reduce((sum, count) => sum + count - 1, 0)
  if (repeats > maxRepeats) {
    const worst = [...verdict.repeated].map(([what, count]) => `${what} ${count} times`).slice(0, 5)
    found.push(`${host}: ${repeats} repeated requests, not at most ${maxRepeats}: ${worst.join(', ')}`)
  }
  for (const { path, earlyMs } of verdict.early.filter((hit) => hit.earlyMs > toleranceMs))
    found.push(`${host}: requested ${path} ${round(earlyMs)} ms before the end of its Retry-After`)
  return found
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
