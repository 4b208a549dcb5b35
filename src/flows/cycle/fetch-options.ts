import { ConfigurationError } from '../../base/crawl-error.ts'
import type { HostQueuesOptions } from '../../domain/politeness/host-queues.ts'
import { queueKey } from '../../domain/url/queue-key.ts'
import type { FetchLimits } from './fetch-monitor.ts'
import type { FetchProgress } from './fetch-progress.ts'

export interface FetchOptions extends FetchLimits {
  /** Requests in flight over all hosts. @default 50 */
  readonly threads?: number
  /** URLs held in the host queues, for each thread. @default 50 */
  readonly queueDepth?: number
  /** Redirects followed in a row; 0: their targets wait for a later round. @default 5 */
  readonly redirectMax?: number
  /**
   * Retries per URL in this run after a transient failure. Later rounds retry anyway, after longer
   * delays. @default 0
   */
  readonly retries?: number
  /** A request that has not ended after this is aborted, whatever the limits of the fetcher. @default 300000 */
  readonly hungAfterMs?: number
  /** Time that requests in flight have to finish when the run is stopped. @default 5000 */
  readonly graceMs?: number
  /** Request rate limits of hosts. */
  readonly politeness?: Omit<HostQueuesOptions, 'maxItems'>
  /** The queue of a URL. @default its host */
  readonly keyOf?: (url: string) => string
  /** Called every second. */
  readonly onProgress?: (progress: FetchProgress) => void
}

/** The options with their defaults. The limits have none. */
export type ResolvedFetchOptions = Required<Omit<FetchOptions, keyof FetchLimits>> & FetchLimits

const DEFAULTS: ResolvedFetchOptions = {
  threads: 50,
  queueDepth: 50,
  redirectMax: 5,
  retries: 0,
  hungAfterMs: 300_000,
  graceMs: 5_000,
  politeness: {},
  keyOf: (url: string) => queueKey(url, 'host'),
  onProgress: () => {},
}

/** @throws ConfigurationError for a number that is out of range */
export function withFetchDefaults(options: FetchOptions): ResolvedFetchOptions {
  const all = { ...DEFAULTS, ...options }
  for (const [name, value] of Object.entries(all)) {
    const least = name === 'threads' || name === 'queueDepth' ? 1 : 0
    if (typeof value === 'number' && !(value >= least))
      throw new ConfigurationError(
        'SETTING_INVALID',
        `fetch: ${name} is ${value}; give a number of at least ${least}`,
      )
  }
  return all
}
