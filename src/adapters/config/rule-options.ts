import { z } from 'zod'
import { flag, hostName, number, wholeNumber } from './config-values.ts'

/** The options of the built-in schedules. */
export function scheduleOptions() {
  const interval = (least: number) => wholeNumber(least, undefined, 'seconds')
  const rate = () => number(0, 0.999)
  const both = {
    defaultIntervalSeconds: interval(1).default(2_592_000).describe('Between two visits, to begin with.'),
    maxIntervalSeconds: interval(1).default(7_776_000).describe('No page waits longer.'),
  }
  const bounds = z.strictObject({
    minSeconds: interval(1).exactOptional(),
    maxSeconds: interval(1).exactOptional(),
  })
  return z.discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('default'), ...both }).readonly(),
      z
        .strictObject({
          kind: z.literal('adaptive'),
          ...both,
          minIntervalSeconds: interval(1).default(60).describe('No page is visited more often.'),
          increaseRate: rate()
            .default(0.4)
            .describe('How much longer the interval gets when nothing changed.'),
          decreaseRate: rate().default(0.2).describe('How much shorter it gets when something did.'),
          syncRate: rate().default(0.3).describe('How far the next visit moves towards the last change.'),
          hosts: z
            .record(hostName(), bounds.readonly(), { error: 'give hosts with their bounds' })
            .readonly()
            .default({})
            .describe('`minSeconds` and `maxSeconds` for single hosts.'),
        })
        .readonly(),
    ],
    { error: "give 'default' or 'adaptive'" },
  )
}

/** The options of the built-in scoring rules; those that are named are used. */
export function scoringOptions() {
  return z
    .strictObject({
      opic: z
        .strictObject({
          internalFactor: number(0).default(1).describe('What a link to the same host brings, as a factor.'),
          externalFactor: number(0).default(1).describe('What a link to another host brings.'),
          countFiltered: flag().default(false).describe('Share among all links found, not only those kept.'),
          conserving: flag().default(false).describe('Take from a page what it passed on.'),
          indexPower: number(0).default(0.5).describe('The index boost is the score to this power.'),
        })
        .readonly()
        .exactOptional(),
      depth: z
        .strictObject({
          maxDepth: wholeNumber(1)
            .default(1000)
            .describe('Links of a page at this depth are dropped; seeds have 1.'),
        })
        .readonly()
        .exactOptional(),
    })
    .readonly()
}
