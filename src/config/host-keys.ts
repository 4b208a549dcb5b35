import { z } from 'zod'
import { number, wholeNumber } from './config-values.ts'

/** How fast hosts are asked, with the defaults. */
export function hostKeys() {
  const keys = hostOverrideKeys()
  return {
    delaySeconds: keys.delaySeconds.unwrap().default(1),
    threadsPerHost: keys.threadsPerHost.unwrap().default(1),
    minDelaySeconds: keys.minDelaySeconds.unwrap().default(0),
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
      .describe('Rest between the end of a response and the next request, when `threadsPerHost` is 1.')
      .exactOptional(),
    threadsPerHost: wholeNumber(1)
      .describe('Requests at once. A host that failed lately or has a Crawl-delay is asked one at a time.')
      .exactOptional(),
    minDelaySeconds: rest().describe('The rest when `threadsPerHost` is more than 1.').exactOptional(),
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
        'Longest rest a fetch waits for. A host that asks for more (Crawl-delay, Retry-After) gets it, but its pages are left for a later fetch.',
      )
      .exactOptional(),
  }
}
