import { z } from 'zod'
import { number, wholeNumber } from './config-values.ts'

/** How fast hosts are asked, with the defaults. */
export function hostKeys() {
  const keys = hostOverrideKeys()
  return {
    // No default here: a delay that was given holds where a default would give way to `minDelaySeconds`.
    delaySeconds: keys.delaySeconds.meta({ ...keys.delaySeconds.meta(), default: 1 }),
    threadsPerHost: keys.threadsPerHost.unwrap().default(1),
    minDelaySeconds: keys.minDelaySeconds,
    latencyFactor: keys.latencyFactor.unwrap().default(0),
    backoffSeconds: keys.backoffSeconds.unwrap().default(5),
    maxFailures: keys.maxFailures.unwrap().default(5),
    parkSeconds: keys.parkSeconds.unwrap().default(1800),
    maxCrawlDelaySeconds: keys.maxCrawlDelaySeconds.unwrap().default(300),
  }
}

/** The same for one host, where what is left out is as for all. */
export function hostOverrideKeys() {
  const rest = () => number(0, undefined, 'seconds')
  return {
    delaySeconds: rest()
      .describe(
        'Delay between two requests to the same host: from the end of a response, or between starts when `threadsPerHost` is more than 1.',
      )
      .exactOptional(),
    threadsPerHost: wholeNumber(1)
      .describe(
        'Concurrent requests to the same host. They overlap slow responses; they do not shorten a delay. A host with failures or a Crawl-delay gets one request at a time.',
      )
      .exactOptional(),
    minDelaySeconds: rest()
      .describe(
        "Nutch's rule for `threadsPerHost` above 1: delay from the end of any response to the next request. It replaces the default delay, not one that was given.",
      )
      .exactOptional(),
    latencyFactor: number(0)
      .describe('Rest at least this many times the time the host took to answer; 0: do not look at it.')
      .exactOptional(),
    backoffSeconds: rest()
      .describe('Rest after a failure; it doubles with each further one.')
      .exactOptional(),
    maxFailures: z
      .union([z.literal(false), wholeNumber(1)], { error: 'give a whole number, at least 1, or false' })
      .meta({
        description: 'Failures at which a host is left alone for `parkSeconds`; `false`: never.',
        shownType: 'number or `false`',
      })
      .exactOptional(),
    parkSeconds: rest().describe('How long such a host is left alone.').exactOptional(),
    maxCrawlDelaySeconds: rest()
      .describe(
        'Longest delay a fetch waits for. A host that asks for more (Crawl-delay, Retry-After) gets it, but its pages are left for a later fetch.',
      )
      .exactOptional(),
  }
}
