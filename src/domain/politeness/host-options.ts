import { ConfigurationError } from '../../base/crawl-error.ts'

/** Request rate limits of one host. README.md has Nutch's names for them. */
export interface HostOptions {
  /**
   * Delay between two requests. With `maxInFlight` 1 it is counted from the end of a response; with more, from the start
   * of a request, so that slow responses overlap and the request rate stays the same.
   * @default 1000, or none when `maxInFlight` is more than 1 and `minDelayMs` is given
   */
  readonly delayMs?: number
  /** Delay from the end of any response to the next request when `maxInFlight` is more than 1: Nutch's rule. @default none */
  readonly minDelayMs?: number
  /** Maximum concurrent requests. A host with failures or a Crawl-delay always gets one at a time. @default 1 */
  readonly maxInFlight?: number
  /** Minimum delay as a multiple of the smoothed response time of the host; 0: none. @default 0 */
  readonly latencyFactor?: number
  /** Delay after the first failure. It doubles with each further failure; a success halves the number of failures. @default 5000 */
  readonly backoffMs?: number
  /** Number of failures at which a host is parked; `Infinity`: never. @default 5 */
  readonly maxFailures?: number
  /** How long such a host is parked. @default 1800000 */
  readonly parkMs?: number
  /**
   * The longest delay for which items stay queued. A host that requests a longer one (Retry-After, Crawl-delay) is parked for that time.
   * The back-off and the delay of `latencyFactor` never exceed it. @default 300000
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

/**
 * @param whose names the place of the options in error messages
 * @throws ConfigurationError for an invalid value
 */
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
  // A configured delay is never too long.
  const maxDelayMs = Math.max(all.maxDelayMs, gaps.startGapMs, gaps.endGapMs)
  return { ...all, ...gaps, maxDelayMs }
}

/** The delay after a request whose end is not known because its process was killed. */
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
  // `minDelayMs` replaces the default delay, as in Nutch, but not a configured one.
  const fallbackMs = minDelayMs === undefined ? DEFAULTS.delayMs : 0
  return { startGapMs: delayMs ?? fallbackMs, endGapMs: minDelayMs ?? 0 }
}
