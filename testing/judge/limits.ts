import type { HostVerdict } from './verdict.ts'

/** What a host puts up with. The defaults are those of a polite crawler, so a test only says where it differs. */
export interface HostLimits {
  /** Rest from the end of an answer to the next request. */
  readonly minGapMs: number
  /** @default 1 */
  readonly maxInParallel?: number
  /** Whether /robots.txt must be asked for, and answered, before anything else. @default true */
  readonly robotsFirst?: boolean
  /** Requests beyond the first for a method and path, all together. @default 0 */
  readonly maxRepeats?: number
  /** How much too short a rest may be: Node's timers count whole milliseconds. @default 1 */
  readonly toleranceMs?: number
  /** The same after an answer that the client broke off, whose end the server noticed late. @default 50 */
  readonly hangUpToleranceMs?: number
}

/** Every limit that `host` saw broken, as a sentence. */
export function hostViolations(host: string, verdict: HostVerdict, limits: HostLimits): string[] {
  const { minGapMs, maxInParallel = 1, robotsFirst = true, maxRepeats = 0 } = limits
  const { toleranceMs = 1, hangUpToleranceMs = 50 } = limits
  const found: string[] = []
  const tooShort = (gapMs: number, why: string): void => {
    found.push(`${host}: asked again ${round(gapMs)} ms after ${why}, not ${minGapMs} ms`)
  }

  if (verdict.smallestGapMs < minGapMs - toleranceMs) tooShort(verdict.smallestGapMs, 'an answer ended')
  if (verdict.smallestGapAfterHangUpMs < minGapMs - hangUpToleranceMs)
    tooShort(verdict.smallestGapAfterHangUpMs, 'an answer was broken off')
  if (verdict.mostInParallel > maxInParallel)
    found.push(`${host}: ${verdict.mostInParallel} requests in parallel, not at most ${maxInParallel}`)
  if (robotsFirst && !verdict.robotsFirst) found.push(`${host}: asked before /robots.txt was answered`)
  for (const path of verdict.disallowed) found.push(`${host}: asked for ${path}, which is disallowed`)

  const repeats = [...verdict.repeated.values()].reduce((sum, count) => sum + count - 1, 0)
  if (repeats > maxRepeats) {
    const worst = [...verdict.repeated].map(([what, count]) => `${what} ${count} times`).slice(0, 5)
    found.push(`${host}: ${repeats} repeated requests, not at most ${maxRepeats}: ${worst.join(', ')}`)
  }
  for (const { path, earlyMs } of verdict.early.filter((hit) => hit.earlyMs > toleranceMs))
    found.push(`${host}: asked for ${path} ${round(earlyMs)} ms before the end of its Retry-After`)
  return found
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
