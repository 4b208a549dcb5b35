import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FetchRunOptions } from '../wiring/fetch-session.ts'
import { addOptionGroup } from './help-notes.ts'
import { addMetricsOptions, type MetricsFlags, metricsConfig } from './metrics-flags.ts'
import { positiveNumber, seconds, someNumber, wholeNumber } from './option-values.ts'
import { addRenderOption, addWebOptions, type WebFlags, webConfig } from './web-flags.ts'

/** The flags of `crawl`, `fetch` and `worker`. */
export interface FetchFlags extends WebFlags, MetricsFlags {
  readonly threads?: number
  readonly threadsPerHost?: number
  readonly minDelay?: number
  readonly redirectMax?: number
  readonly retries: number
  readonly maxTime?: number
  readonly minPagesPerSecond?: number
  readonly parseThreads: number
}

/** Options for concurrent requests, of the cycle and of spiders. */
export function addThreadOptions(command: Command): Command {
  return addOptionGroup(command, 'Politeness', (group) =>
    group
      .option('--threads <n>', 'Maximum number of concurrent requests (default: 64)', positiveNumber)
      .option(
        '--threads-per-host <n>',
        'Maximum number of concurrent requests to the same host; --delay still applies (default: 1)',
        positiveNumber,
      )
      .option(
        '--min-delay <seconds>',
        'Delay after each response, if --threads-per-host is above 1 and --delay is not set',
        seconds,
      ),
  )
}

export function addFetchOptions(command: Command): Command {
  addOptionGroup(command, 'Limits', (group) =>
    group
      .option(
        '--max-time <minutes>',
        'Stop after this time; remaining URLs stay due (default: none)',
        someNumber,
      )
      .option('--redirect-max <n>', 'Maximum number of redirects per URL (default: 5)', wholeNumber)
      .option('--retries <n>', 'Retries per URL after a transient failure', wholeNumber, 0)
      .option(
        '--min-pages-per-second <n>',
        'Stop when fewer pages are fetched for five seconds (default: none)',
        someNumber,
      ),
  )
  return addMetricsOptions(addThreadOptions(addRenderOption(addWebOptions(command)))).option(
    '--parse-threads <n>',
    'Parser threads; 0 parses in the main thread',
    wholeNumber,
    1,
  )
}

/** The settings of the flags. */
export function fetchConfig(flags: FetchFlags): OrbweaverConfig {
  const { threads, threadsPerHost, minDelay, redirectMax } = flags
  const web = webConfig(flags)
  const minDelaySeconds = minDelay === undefined ? undefined : minDelay / 1000
  return {
    ...web,
    ...metricsConfig(flags),
    politeness: { ...web.politeness, ...withoutUndefined({ threads, threadsPerHost, minDelaySeconds }) },
    limits: withoutUndefined({ redirectMax }),
  }
}

/** The options of the flags that are not settings. */
export function fetchRunOptions(flags: FetchFlags): FetchRunOptions {
  const { retries, parseThreads, minPagesPerSecond, maxTime } = flags
  return {
    retries,
    parseThreads,
    ...withoutUndefined({ minPagesPerSecond }),
    ...(maxTime !== undefined && { maxTimeSeconds: maxTime * 60 }),
  }
}
