import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FetchOptions } from '../flows/cycle/fetch-options.ts'
import { positiveNumber, seconds, someNumber, wholeNumber } from './option-values.ts'
import { addWebOptions, type WebFlags, webConfig } from './web-flags.ts'

/** The flags of `fetch` and `crawl`. */
export interface FetchFlags extends WebFlags {
  readonly threads?: number
  readonly threadsPerHost?: number
  readonly minDelay?: number
  readonly redirectMax?: number
  readonly retries: number
  readonly timeLimit?: number
  readonly minPagesPerSecond?: number
  readonly parseThreads: number
}

/** How many requests there may be at once, for the cycle and for spiders. */
export function addThreadOptions(command: Command): Command {
  return command
    .option('--threads <n>', 'requests in flight over all hosts (default: 64)', positiveNumber)
    .option(
      '--threads-per-host <n>',
      'concurrent requests to the same host; the delay still holds (default: 1)',
      positiveNumber,
    )
    .option(
      '--min-delay <seconds>',
      "with --threads-per-host above 1 and no --delay: delay after any response (Nutch's rule)",
      seconds,
    )
}

export function addFetchOptions(command: Command): Command {
  return addThreadOptions(addWebOptions(command))
    .option('--redirect-max <n>', 'redirects followed from one URL (default: 5)', wholeNumber)
    .option('--retries <n>', 'tries more in this run for what failed but may pass', wholeNumber, 0)
    .option('--time-limit <minutes>', 'give up on the rest of the list after this', someNumber)
    .option(
      '--min-pages-per-second <n>',
      'give up on the rest when it is slower for five seconds in a row',
      someNumber,
    )
    .option('--parse-threads <n>', 'threads that parse pages; 0: the main one does', wholeNumber, 1)
}

export function fetchConfig(flags: FetchFlags): OrbweaverConfig {
  const { threads, threadsPerHost, minDelay, redirectMax, timeLimit } = flags
  const web = webConfig(flags)
  return {
    ...web,
    politeness: {
      ...web.politeness,
      ...withoutUndefined({ threads, threadsPerHost }),
      ...(minDelay !== undefined && { minDelaySeconds: minDelay / 1000 }),
    },
    limits: withoutUndefined({ redirectMax, timeLimitMinutes: timeLimit }),
  }
}

/** What the flags say that is not in the settings. */
export function runLimits({ retries, minPagesPerSecond }: FetchFlags): FetchOptions {
  return { retries, ...withoutUndefined({ minPagesPerSecond }) }
}
