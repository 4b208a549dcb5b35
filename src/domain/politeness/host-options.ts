import { ConfigurationError } from '../../base/crawl-error.ts'

/** Request rate limits of one host. Nutch's names for the same are in README.md. */
export interface HostOptions {
  /**
   * Delay between two requests. With `maxInFlight` 1 it is counted from the end of a response; with more, from the start
   * of a request, so that slow responses overlap and the request rate stays the same.
   * @default 1000, or none when `maxInFlight` is more than 1 and `minDelayMs` is given
   */
  readonly delayMs?: number
  /** Delay from the end of any response to the next request when `maxInFlight` is more than 1: Nutch's rule. @default none */
  readonly minDelayMs?: number
  /** Maximum concurrent requests. A host with failures or a Crawl-delay gets one at a time all the same. @default 1 */
  readonly maxInFlight?: number
  /** Rest at least this many times the host's smoothed response time; 0: do not look at it. @default 0 */
  readonly latencyFactor?: number
  /** Rest after a first failure; it doubles with each further one and halves its way back with successes. @default 5000 */
  readonly backoffMs?: number
  /** Failures on its account at which a host is parked; `Infinity`: never. @default 5 */
  readonly maxFailures?: number
  /** How long such a host is parked. @default 1800000 */
  readonly parkMs?: number
  /**
   * The longest delay that items wait for. A host that requests a longer one (Retry-After, Crawl-delay) gets it in
   * full, but parked. Our own back-off and `latencyFactor` never exceed it. @default 300000
   */
  readonly maxDelayMs?: number
}

/** `HostOptions` with every default filled in. */
export interface HostLimits extends Required<Omit<HostOptions, 'delayMs' | 'minDelayMs'>> {
  /** Minimum time from the start of one request to the start of the next. */
  readonly startGapMs: number
  /** Minimum time from the end of a response to the start of the next request. */
  readonly endGapMs: number
}

const DEFAULTS: Required<Omit<HostOptions, 'minDelayMs'>> = Object.freeze({
  delayMs: 1_000,
  maxInFlight: 1,
  latencyFactor: 0,
  backoffMs: 5_000,
  maxFailures: 5,
  parkMs: 1_800_000,
  maxDelayMs: 300_000,
})

/** @throws ConfigurationError for a value that is not usable; `whose` says where it stood */
export function hostLimits(options: HostOptions, whose: string): HostLimits {
  const { delayMs: _delay, minDelayMs: _min, ...all } = { ...DEFAULTS, ...options }
  for (const [name, value] of Object.entries({ ...all, ...options })) {
    const least = name === 'maxInFlight' || name === 'maxFailures' ? 1 : 0
    const finite = Number.isFinite(value) || (name === 'maxFailures' && value === Number.POSITIVE_INFINITY)
    if (!finite || value < least)
      throw new ConfigurationError(
        'SETTING_INVALID',
        `${whose}: ${name} is ${value}; give a number of at least ${least}`,
      )
  }
  const gaps = gapsOf(options)
  // A delay of the user's own is waited for, however long.
  const maxDelayMs = Math.max(all.maxDelayMs, gaps.startGapMs, gaps.endGapMs)
  return { ...all, ...gaps, maxDelayMs }
}

/** The delay to assume after a request whose end is not known, as its process was killed. */
export function usualDelayMs(options: HostOptions): number {
  const { startGapMs, endGapMs } = gapsOf(options)
  return Math.max(startGapMs, endGapMs)
}

function gapsOf({
  delayMs,
  minDelayMs,
  maxInFlight = 1,
}: HostOptions): Pick<HostLimits, 'startGapMs' | 'endGapMs'> {
  if (maxInFlight === 1) return { startGapMs: 0, endGapMs: delayMs ?? DEFAULTS.delayMs }
  // Only a default gives way to Nutch's rule: a delay that the user gave always holds.
  const fallbackMs = minDelayMs === undefined ? DEFAULTS.delayMs : 0
  return { startGapMs: delayMs ?? fallbackMs, endGapMs: minDelayMs ?? 0 }
}
