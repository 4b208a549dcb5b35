import { z } from 'zod'
import type { IndexFilter } from '../../domain/indexing/index-document.ts'
import {
  booleanValue,
  choiceValue,
  docs,
  hostName,
  integerValue,
  listValue,
  numberValue,
  stringValue,
} from './config-values.ts'
import { indexRoutingKeys } from './index-routing-section.ts'

/** The keys of `politeness` that can also be set for single hosts, with their defaults. */
export function hostSection() {
  const keys = hostOverrides()
  return {
    // Described, not set: a delay that the user gave takes precedence over `minDelaySeconds`, a default does not.
    delaySeconds: keys.delaySeconds.register(docs, { ...docs.get(keys.delaySeconds), default: 1 }),
    threadsPerHost: keys.threadsPerHost.unwrap().default(1),
    minDelaySeconds: keys.minDelaySeconds,
    latencyFactor: keys.latencyFactor.unwrap().default(0),
    backoffSeconds: keys.backoffSeconds.unwrap().default(5),
    maxFailures: keys.maxFailures.unwrap().default(5),
    parkSeconds: keys.parkSeconds.unwrap().default(1800),
    maxCrawlDelaySeconds: keys.maxCrawlDelaySeconds.unwrap().default(300),
  }
}

/** The same keys for one host; a key that is left out has the general value. */
export function hostOverrides() {
  const seconds = () => numberValue(0, undefined, 'seconds')
  return {
    delaySeconds: seconds()
      .register(docs, {
        description:
          'Minimum delay between two requests to the same host, in seconds. It is measured from the end of a response, or between starts when `threadsPerHost` is more than 1.',
      })
      .exactOptional(),
    threadsPerHost: integerValue(1)
      .register(docs, {
        description:
          'Concurrent requests to the same host. They overlap slow responses; they do not shorten the delay. A host with failures or a Crawl-delay gets one request at a time.',
      })
      .exactOptional(),
    minDelaySeconds: seconds()
      .register(docs, {
        description:
          "Nutch's rule for `threadsPerHost` above 1: delay in seconds from the end of any response to the next request. It replaces the default of `delaySeconds`, not a value that was set.",
      })
      .exactOptional(),
    latencyFactor: numberValue(0)
      .register(docs, {
        description:
          'Minimum delay as a multiple of the response time of the host; 0: the response time is ignored.',
      })
      .exactOptional(),
    backoffSeconds: seconds()
      .register(docs, {
        description: 'Delay after a failed request, in seconds. It doubles with each further failure.',
      })
      .exactOptional(),
    maxFailures: z
      .union([z.literal(false), integerValue(1)], { error: 'expected a whole number, at least 1, or false' })
      .register(docs, {
        description:
          'Consecutive failures after which a host is not requested for `parkSeconds`; `false`: no limit.',
        displayType: 'number or `false`',
      })
      .exactOptional(),
    parkSeconds: seconds()
      .register(docs, { description: 'Seconds without requests to a host that reached `maxFailures`.' })
      .exactOptional(),
    maxCrawlDelaySeconds: seconds()
      .register(docs, {
        description:
          'Maximum delay a fetch waits for, in seconds. A longer Crawl-delay or Retry-After is respected: the URLs of that host are left for a later fetch.',
      })
      .exactOptional(),
  }
}

/** The options of the built-in schedules. */
export function scheduleOptions() {
  const interval = () => integerValue(1, undefined, 'seconds')
  const rate = () => numberValue(0, 0.999)
  const common = {
    defaultIntervalSeconds: interval()
      .default(2_592_000)
      .register(docs, { description: 'Initial fetch interval of a page, in seconds.' }),
    maxIntervalSeconds: interval()
      .default(7_776_000)
      .register(docs, { description: 'Maximum fetch interval of a page, in seconds.' }),
  }
  const bounds = z.strictObject({
    minSeconds: interval().exactOptional(),
    maxSeconds: interval().exactOptional(),
  })
  return z.discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('default'), ...common }).readonly(),
      z
        .strictObject({
          kind: z.literal('adaptive'),
          ...common,
          minIntervalSeconds: interval()
            .default(60)
            .register(docs, { description: 'Minimum fetch interval of a page, in seconds.' }),
          increaseRate: rate().default(0.4).register(docs, {
            description: 'Fraction by which the interval grows when the page has not changed.',
          }),
          decreaseRate: rate().default(0.2).register(docs, {
            description: 'Fraction by which the interval shrinks when the page has changed.',
          }),
          syncRate: rate().default(0.3).register(docs, {
            description: 'Fraction by which the next fetch time moves towards the time of the last change.',
          }),
          hosts: z
            .record(hostName(), bounds.readonly(), { error: 'expected host names with their bounds' })
            .readonly()
            .default({})
            .register(docs, { description: 'Bounds for single hosts: `minSeconds`, `maxSeconds`.' }),
        })
        .readonly(),
      z
        .strictObject({
          kind: z.literal('freshness'),
          ...common,
          minIntervalSeconds: interval()
            .default(3_600)
            .register(docs, { description: 'Minimum fetch interval of a page, in seconds.' }),
          budget: numberValue(0.001, undefined, 'fetches per day').exactOptional().register(docs, {
            description:
              'Fetches of known pages per day, on average, for `freshness`. Default: every page once per `defaultIntervalSeconds`.',
          }),
        })
        .readonly(),
    ],
    { error: "expected 'default', 'adaptive' or 'freshness'" },
  )
}

/** The options of the built-in scoring rules; a rule is used if its key is present. */
export function scoringOptions() {
  return z
    .strictObject({
      opic: z
        .strictObject({
          internalFactor: numberValue(0)
            .default(1)
            .register(docs, { description: 'Factor for the score that a link to the same host passes on.' }),
          externalFactor: numberValue(0)
            .default(1)
            .register(docs, { description: 'Factor for the score that a link to another host passes on.' }),
          countFiltered: booleanValue().default(false).register(docs, {
            description: 'Divide the score of a page by the links found, not by the links kept.',
          }),
          conserving: booleanValue()
            .default(false)
            .register(docs, { description: 'Subtract from a page the score that it passes on.' }),
          indexPower: numberValue(0)
            .default(0.5)
            .register(docs, { description: 'Exponent of the score in the boost of an indexed document.' }),
        })
        .readonly()
        .exactOptional(),
      link: z
        .strictObject({
          indexPower: numberValue(0)
            .default(0.5)
            .register(docs, { description: 'Exponent of the score in the boost of an indexed document.' }),
        })
        .readonly()
        .exactOptional(),
      depth: z
        .strictObject({
          maxDepth: integerValue(1).default(1000).register(docs, {
            description: 'Maximum depth; seeds have depth 1. Links of a page at this depth are dropped.',
          }),
        })
        .readonly()
        .exactOptional(),
    })
    .readonly()
}

/** The keys of the section `index`. */
export function indexSection() {
  return {
    canonical: booleanValue()
      .default(false)
      .register(docs, { description: 'Index pages under their canonical URL (`rel="canonical"`).' }),
    content: choiceValue(['main', 'all']).default('main').register(docs, {
      description:
        'Text of documents: `main`, without navigation, banners, sidebars and footers; `all`, every text of the page. `main` reads the stored responses.',
    }),
    maxTitleLength: integerValue(1, undefined, 'characters')
      .default(100)
      .register(docs, { description: 'Maximum length of a title, in characters.' }),
    maxContentLength: integerValue(1, undefined, 'characters').exactOptional().register(docs, {
      description:
        'Maximum length of the text, in characters. Default: all text that `parse.maxTextChars` kept.',
    }),
    maxAnchors: integerValue(0).default(100).register(docs, {
      description:
        'Maximum number of anchor texts per page, most frequent first. `index` collects them; 0: links are not inverted.',
    }),
    metadata: listValue(stringValue(/./, 'a name'), 'names').default([]).register(docs, {
      description:
        'Metadata to add to documents, by name: a field from a parse filter, `description`, `published`, `modified`, `author` or `siteName` of the main content, a response header, or a key of the seed line.',
    }),
    synonyms: z
      .array(z.array(z.string().min(1)).min(2).readonly())
      .readonly()
      .default([])
      .register(docs, {
        description:
          "Words and phrases with the same meaning, in groups: `[['js', 'javascript']]`. Searches of the index in the crawl directory use them after the next `index`, which indexes no page again for them.",
        displayType: 'list of lists of words',
      }),
    filter: z
      .custom<IndexFilter>((value) => typeof value === 'function', { error: 'expected a function' })
      .exactOptional()
      .register(docs, {
        description:
          'Called with each document and its page before it is indexed. Returns the document, changed or not, or `undefined` to skip the page.',
        displayType: 'function',
      }),
    ...indexRoutingKeys(),
  }
}
