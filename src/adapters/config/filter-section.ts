import { z } from 'zod'
import type { CandidateUrl } from '../../domain/url/candidate-url.ts'
import type { FilterVerdict, UrlFilter } from '../../domain/url/url-filter.ts'
import {
  booleanValue,
  choiceValue,
  docs,
  hostName,
  implementation,
  integerValue,
  listValue,
  stringValue,
} from './config-values.ts'

/** A URL filter as a function: accept, reject, a verdict with its rule, or no opinion (`undefined`). */
export type FilterFunction = (url: CandidateUrl) => boolean | FilterVerdict | undefined

/** The keys of `filters`. */
export function filterSection() {
  return {
    scope: choiceValue(['host', 'domain', 'any']).default('host').register(docs, {
      description: 'Hosts that `crawl` may fetch: hosts of the seeds, their registered domains, or any.',
    }),
    allowDomains: listValue(hostName(), 'host names')
      .default([])
      .register(docs, { description: 'Accept only these hosts and their subdomains. Default: all.' }),
    denyDomains: listValue(hostName(), 'host names')
      .default([])
      .register(docs, { description: 'Reject these hosts and their subdomains.' }),
    fast: stringValue(/./, 'a file name').exactOptional().register(docs, {
      description:
        'File with rules by host and domain, of any length: lines of `Host`, `Domain`, `DenyPath` and `DenyPathQuery`, as in `fast-urlfilter.txt` of Nutch. Relative to the folder of the configuration.',
    }),
    validator: booleanValue().default(false).register(docs, {
      description: 'Reject hosts that cannot be public: names without a dot, and IPv6 addresses.',
    }),
    prefixes: listValue(stringValue(/./, 'the start of a URL'), 'URL prefixes')
      .default([])
      .register(docs, { description: 'Accept only URLs that start with one of these. Default: all.' }),
    suffixes: listValue(stringValue(/./, 'the end of a path'), 'path suffixes')
      .default([])
      .register(docs, { description: 'Reject URLs whose path ends with one of these, ignoring case.' }),
    rules: ruleLines().exactOptional().register(docs, {
      description:
        'Lines of `+pattern` and `-pattern`; the first that matches decides. A list of lines, or a file name relative to the folder of the configuration. Default: reject file types that cannot be parsed.',
      displayType: 'file name, or list of lines',
    }),
    maxLength: integerValue(1, undefined, 'characters').exactOptional().register(docs, {
      description: 'Maximum URL length, in characters. Default: `normalizer.maxLength`.',
    }),
    maxDepth: integerValue(0, undefined, 'links').exactOptional().register(docs, {
      description: 'Maximum number of links between a seed and a page; 0: seeds only. Default: no limit.',
    }),
    traps: z
      .union([z.literal(false), trapOptions()], { error: 'expected false, or an object with limits' })
      .prefault({})
      .register(docs, { description: 'Limits that reject crawler traps; `false`: no limits.' }),
    custom: listValue(
      z.union([implementation<UrlFilter>('UrlFilter', ['judge']), filterFunction()], {
        error: 'expected a UrlFilter (an object with name and judge), or a function',
      }),
      'URL filters',
    )
      .default([])
      .register(docs, {
        description: 'Your own filters; they run after all others.',
        displayType: 'list of `UrlFilter` or functions',
      }),
  }
}

/** Rules in the format of `regex-urlfilter.txt`: a list of lines, or a file name. */
export function ruleLines() {
  return z.union(
    [stringValue(/./, 'a file name'), listValue(stringValue(/^/, 'a line of text'), 'rule lines')],
    { error: 'expected the name of a rule file, or a list of rule lines' },
  )
}

function filterFunction() {
  return z.custom<FilterFunction>((value) => typeof value === 'function')
}

function trapOptions() {
  return z
    .strictObject({
      maxPathSegments: integerValue(1)
        .default(20)
        .register(docs, { description: 'Maximum number of path segments.' }),
      maxParameters: integerValue(0)
        .default(30)
        .register(docs, { description: 'Maximum number of query parameters.' }),
      maxSameParameters: integerValue(1)
        .default(6)
        .register(docs, { description: 'Maximum number of query parameters with the same name.' }),
      maxYearsAhead: integerValue(0).default(3).register(docs, {
        description: 'Maximum number of years that a date in a URL may be ahead (endless calendars).',
      }),
      earliestYear: integerValue(0)
        .default(1600)
        .register(docs, { description: 'Earliest year of a date in a URL.' }),
    })
    .readonly()
}
