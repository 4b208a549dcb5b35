import { ConfigurationError } from '../base/crawl-error.ts'

/** How fast one host may be asked. Nutch's names for the same are in README.md. */
export interface HostOptions {
  /** Rest between the end of a response and the next request, when `maxInFlight` is 1. @default 1000 */
  readonly delayMs?: number
  /** The same rest when `maxInFlight` is more than 1. @default 0 */
  readonly minDelayMs?: number
  /**
   * Requests allowed at once. A host that failed lately or has a Crawl-delay is asked one at a time all the same.
   * @default 1
   */
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
   * The longest rest that items wait for here. A host that asks for a longer one (Retry-After, Crawl-delay) gets it in
   * full, but parked. Our own back-off and `latencyFactor` never ask for more than this. @default 300000
   */
  readonly maxRestMs?: number
}

export const DEFAULT_HOST_OPTIONS: Required<HostOptions> = Object.freeze({
  delayMs: 1_000,
  minDelayMs: 0,
  maxInFlight: 1,
  latencyFactor: 0,
  backoffMs: 5_000,
  maxFailures: 5,
  parkMs: 1_800_000,
  maxRestMs: 300_000,
})

/** `options` over `base`. @throws ConfigurationError for a value that cannot be meant; `whose` says where it stood. */
export function withHostOptions(
  base: Required<HostOptions>,
  options: HostOptions,
  whose: string,
): Required<HostOptions> {
  const all = { ...base, ...options }
  for (const name of Object.keys(DEFAULT_HOST_OPTIONS) as Array<keyof HostOptions>) {
    const value = all[name]
    const least = name === 'maxInFlight' || name === 'maxFailures' ? 1 : 0
    const finite = Number.isFinite(value) || (name === 'maxFailures' && value === Number.POSITIVE_INFINITY)
    if (!finite || value < least)
      throw new ConfigurationError(`${whose}: ${name} is ${value}; give a number of at least ${least}`)
  }
  return all
}
