import { z } from 'zod'
import type { ParseFilter } from '../../domain/parse/parse-rules.ts'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import type { Scoring } from '../../domain/scoring/scoring.ts'
import type { CandidateUrl } from '../../domain/url/candidate-url.ts'
import type { FilterVerdict, UrlFilter } from '../../domain/url/url-filter.ts'
import {
  booleanValue,
  choiceValue,
  hostName,
  implementation,
  integerValue,
  listValue,
  numberValue,
  stringValue,
} from './config-values.ts'
import { engineSection } from './engine-section.ts'
import { logSection } from './log-section.ts'
import { monitoringSection } from './monitoring-section.ts'
import { notifySection } from './notify-section.ts'
import { objectStoreSection } from './object-store-section.ts'
import { redisSection } from './redis-section.ts'
import { hostOverrides, hostSection, indexSection, scheduleOptions, scoringOptions } from './rule-sections.ts'

/** A URL filter as a function: accept, reject, a verdict with its rule, or no opinion (`undefined`). */
export type FilterFunction = (url: CandidateUrl) => boolean | FilterVerdict | undefined

/**
 * Every key of a configuration with its type, default and description. The types below, the checks, the messages and the reference in
 * docs/configuration.md are derived from it. Descriptions are Markdown.
 */
export const configSchema = z.strictObject(
  {
    agent: section(
      'Identity of the crawler: sent in the User-Agent, and used to find its group in robots.txt.',
      {
        name: stringValue(
          /^[A-Za-z_-][A-Za-z0-9_-]*$/,
          'a name of letters, digits, "-" and "_" that does not start with a digit',
        )
          .default('orbweaver')
          .describe('Product name in the User-Agent and in robots.txt.'),
        contactUrl: stringValue(/^https?:\/\/[^\s()\\]+$/, 'an http or https URL')
          .exactOptional()
          .describe('URL of a page that describes the crawler and how to block it.'),
        email: stringValue(/^[\x21-\x7e]+@[\x21-\x7e]+$/, 'an address like bot@example.org')
          .exactOptional()
          .describe('Contact address for site owners.'),
      },
    ),

    http: section('Requests, limits for responses, and hosts that may be connected to.', {
      timeoutSeconds: seconds(
        60,
        'Maximum time for one request, from its start to the last byte, in seconds.',
      ),
      connectTimeoutSeconds: seconds(10, 'Maximum time to connect, TLS handshake included, in seconds.'),
      headersTimeoutSeconds: seconds(
        20,
        'Maximum time from the sent request to the response headers, in seconds.',
      ),
      bodyTimeoutSeconds: seconds(15, 'Maximum time between two parts of a body, in seconds.'),
      minBytesPerSecond: numberValue(0)
        .default(1024)
        .describe('Minimum transfer rate of a body, in bytes per second; slower transfers are aborted.'),
      maxBodyBytes: integerValue(1, undefined, 'bytes')
        .default(10 * 1024 * 1024)
        .describe('Maximum decoded body size, in bytes; longer bodies are truncated.'),
      maxDeclaredBytes: integerValue(1, undefined, 'bytes')
        .default(100 * 1024 * 1024)
        .describe(
          'Maximum Content-Length, in bytes; a response that declares more is rejected without reading its body. Never less than `maxBodyBytes`.',
        ),
      headers: z
        .record(
          stringValue(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'header names without spaces'),
          stringValue(/^[\t\x20-\x7e]*$/, 'a header value in ASCII'),
          { error: 'expected header names with their values' },
        )
        .readonly()
        .default({})
        .describe(
          "Headers sent with every request. They replace the crawler's own headers of the same name.",
        ),
      proxy: z
        .union([proxyUrl().transform((url) => ({ url })), proxyOptions()], {
          error: 'expected an http://, https:// or socks5:// URL, or { url, noProxy, resolve }',
        })
        .exactOptional()
        .meta({
          description:
            'HTTP, HTTPS or SOCKS5 proxy. `noProxy`: hosts to connect to directly. `resolve`: whether names are resolved by the `proxy` (default) or by the crawler (`local`).',
          displayType: 'URL, or `{ url, noProxy?, resolve? }`',
        }),
      cookies: booleanValue().default(false).describe('Store cookies and send them back.'),
      http2: booleanValue().default(true).describe('Offer HTTP/2 in the TLS handshake.'),
      insecureHosts: listValue(hostName(), 'hosts')
        .default([])
        .describe('Hosts whose TLS certificates are not verified.'),
      allowPrivateHosts: listValue(hostName(), 'hosts')
        .default([])
        .describe(
          'Hosts that may have any address, private ones included. Not needed for seeds and start URLs that are IP addresses, localhost, or names that had a private address when they were injected.',
        ),
    }),

    robots: section('Interpretation of robots.txt. It is always obeyed.', {
      denyOnForbidden: booleanValue()
        .default(false)
        .describe(
          'Disallow every URL of a host whose robots.txt returns 401 or 403. Otherwise such a host has no rules (RFC 9309).',
        ),
    }),

    politeness: section('Request rate and concurrency.', {
      threads: integerValue(1).default(64).describe('Maximum concurrent requests to all hosts together.'),
      queueMode: choiceValue(['host', 'domain'])
        .default('host')
        .describe(
          'Whether each host or each registered domain has its own queue. The delay applies per queue.',
        ),
      ...hostSection(),
      hosts: z
        .record(hostName(), z.strictObject(hostOverrides()).readonly(), {
          error: 'expected host names with their settings',
        })
        .readonly()
        .default({})
        .describe(
          'Settings for single hosts, with the keys from `delaySeconds` on: `{ "example.com": { delaySeconds: 5 } }`. An entry also applies to subdomains.',
        ),
    }),

    normalizer: section('URL normalization.', {
      trailingSlash: choiceValue(['keep', 'add', 'remove'])
        .default('keep')
        .describe('Keep, add or remove the `/` at the end of a path.'),
      removeDefaultPage: booleanValue().default(false).describe('Shorten `/a/index.html` to `/a/`.'),
      sortQuery: booleanValue().default(false).describe('Sort query parameters.'),
      removeTrackingParameters: booleanValue()
        .default(false)
        .describe('Remove tracking parameters such as `utm_source` and `gclid`.'),
      removeSessionIds: booleanValue()
        .default(true)
        .describe('Remove session ids such as `;jsessionid=…` and `sid=…`.'),
      maxLength: integerValue(1, 65_536, 'characters')
        .default(8192)
        .describe('Maximum URL length, in characters; longer URLs are invalid.'),
    }),

    filters: section('URL filters. A URL must pass all of them; they run in this order.', {
      scope: choiceValue(['host', 'domain', 'any'])
        .default('host')
        .describe('Hosts that `crawl` may fetch: hosts of the seeds, their registered domains, or any.'),
      allowDomains: listValue(hostName(), 'host names')
        .default([])
        .describe('Accept only these hosts and their subdomains. Default: all.'),
      denyDomains: listValue(hostName(), 'host names')
        .default([])
        .describe('Reject these hosts and their subdomains.'),
      prefixes: listValue(stringValue(/./, 'the start of a URL'), 'URL prefixes')
        .default([])
        .describe('Accept only URLs that start with one of these. Default: all.'),
      suffixes: listValue(stringValue(/./, 'the end of a path'), 'path suffixes')
        .default([])
        .describe('Reject URLs whose path ends with one of these, ignoring case.'),
      rules: z
        .union(
          [stringValue(/./, 'a file name'), listValue(stringValue(/^/, 'a line of text'), 'rule lines')],
          {
            error: 'expected the name of a rule file, or a list of rule lines',
          },
        )
        .exactOptional()
        .meta({
          description:
            'Lines of `+pattern` and `-pattern`; the first that matches decides. A list of lines, or a file name relative to the folder of the configuration. Default: reject file types that cannot be parsed.',
          displayType: 'file name, or list of lines',
        }),
      maxLength: integerValue(1, undefined, 'characters')
        .exactOptional()
        .describe('Maximum URL length, in characters. Default: `normalizer.maxLength`.'),
      maxDepth: integerValue(0, undefined, 'links')
        .exactOptional()
        .describe('Maximum number of links between a seed and a page; 0: seeds only. Default: no limit.'),
      traps: z
        .union([z.literal(false), trapOptions()], { error: 'expected false, or an object with limits' })
        .prefault({})
        .meta({ description: 'Limits that reject crawler traps; `false`: no limits.' }),
      custom: listValue(
        z.union([implementation<UrlFilter>('UrlFilter', ['judge']), filterFunction()], {
          error: 'expected a UrlFilter (an object with name and judge), or a function',
        }),
        'URL filters',
      )
        .default([])
        .meta({
          description: 'Your own filters; they run after all others.',
          displayType: 'list of `UrlFilter` or functions',
        }),
    }),

    links: section('Outlinks of a page that are followed.', {
      ignoreInternal: booleanValue().default(false).describe('Drop links to the host of the page.'),
      ignoreExternal: booleanValue()
        .default(false)
        .describe('Drop links and redirects to other hosts than that of the page.'),
      compare: choiceValue(['host', 'domain'])
        .default('host')
        .describe('Whether `ignoreInternal` and `ignoreExternal` compare hosts or registered domains.'),
      maxOutlinks: integerValue(0)
        .default(100_000)
        .describe('Maximum number of links kept per page. `readdb --stats` shows how many were dropped.'),
      maxOutlinkLength: integerValue(1, undefined, 'characters')
        .default(4096)
        .describe('Maximum length of a link, in characters.'),
      followNofollow: booleanValue()
        .default(false)
        .describe('Follow links with `rel="nofollow"`. A nofollow for the whole page is always obeyed.'),
    }),

    schedule: z
      .union(
        [
          choiceValue(['default', 'adaptive']).transform((kind) => scheduleOptions().parse({ kind })),
          implementation<FetchSchedule>('FetchSchedule', ['initialise', 'onFetched', 'onGone', 'onRetry']),
          scheduleOptions(),
        ],
        { error: "expected 'default', 'adaptive', { kind, … } or an object that implements FetchSchedule" },
      )
      .prefault('default')
      .meta({
        description:
          'When a page is fetched again. `default`: after a fixed interval. `adaptive`: the interval follows how often the page changes. Or your own `FetchSchedule`.',
        displayType: "`'default'`, `'adaptive'`, `{ kind, … }` or a `FetchSchedule`",
      }),

    scoring: z
      .union(
        [
          choiceValue(['opic', 'depth']).transform((name) => scoringOptions().parse({ [name]: {} })),
          implementation<Scoring>('Scoring', [
            'injected',
            'initial',
            'sortValue',
            'distribute',
            'update',
            'indexBoost',
          ]),
          scoringOptions().refine(({ opic, depth }) => opic !== undefined || depth !== undefined, {
            error: 'expected opic, depth or both',
            // An unknown key has been reported already.
            when: ({ issues }) => issues.length === 0,
          }),
        ],
        { error: "expected 'opic', 'depth', { opic, depth } or an object that implements Scoring" },
      )
      .prefault('opic')
      .meta({
        description:
          'Score, which decides which due URLs are fetched first. `opic`: pages pass their score on to the pages they link to. `depth`: pages near the seeds first, up to a maximum depth. With both keys, both apply. Or your own `Scoring`.',
        displayType: "`'opic'`, `'depth'`, `{ opic?, depth? }` or a `Scoring`",
      }),

    orphans: section(
      'Pages without inlinks (Nutch: scoring-orphan). Inlinks are counted from the moment this is enabled; seeds that never had an inlink are ignored.',
      {
        enabled: booleanValue()
          .default(false)
          .describe(
            'Mark pages without inlinks during `updatedb`. An inlink counts when its page is fetched: choose times longer than `schedule.maxIntervalSeconds`.',
          ),
        goneAfterSeconds: integerValue(1, undefined, 'seconds')
          .default(2_592_000)
          .describe('Seconds without an inlink after which a page becomes `db_gone`.'),
        orphanAfterSeconds: integerValue(1, undefined, 'seconds')
          .default(3_456_000)
          .describe(
            'Seconds without an inlink after which a page becomes `db_orphan`. `updatedb --purge-orphans` removes such pages.',
          ),
      },
    ),

    parse: section('Parsing of fetched pages.', {
      maxTextChars: integerValue(1)
        .default(1_000_000)
        .describe('Maximum length of the text of a page, in characters; longer text is truncated.'),
      signature: choiceValue(['md5', 'text-profile'])
        .default('md5')
        .describe(
          'Signature that decides whether a page has changed: over all bytes (`md5`), or over its most frequent words (`text-profile`).',
        ),
      fingerprints: listValue(choiceValue(['text-profile', 'sim-hash']), 'fingerprints')
        .default([])
        .describe(
          'Further fingerprints stored in `parse_data`, to find near-duplicates. Each takes about as long as parsing the page.',
        ),
      markFailed: booleanValue()
        .default(false)
        .describe(
          'Give pages that were fetched but could not be parsed the status `db_parse_failed`: they are fetched less and less often, and `clean` deletes them from indexes. Otherwise they are `db_fetched`.',
        ),
      filters: listValue(implementation<ParseFilter>('ParseFilter', ['filter']), 'parse filters')
        .default([])
        .meta({
          description:
            'Functions run on every parsed page, in parser threads. They add fields and change links.',
          displayType: 'list of `ParseFilter`',
        }),
    }),

    limits: section('Limits of a crawl.', {
      redirectMax: integerValue(0).default(5).describe('Maximum number of redirects followed from one URL.'),
      retryMax: integerValue(1)
        .default(3)
        .describe('Number of consecutive failures after which a page becomes `db_gone`.'),
      timeLimitMinutes: numberValue(0, undefined, 'minutes')
        .exactOptional()
        .describe('Maximum time for a fetch, in minutes. Default: no limit.'),
      maxPages: integerValue(1)
        .exactOptional()
        .describe('Maximum number of pages fetched by one `crawl`. Default: no limit.'),
    }),

    index: section('Documents sent to search indexes.', indexSection()),

    engine: section('Engine that stores the CrawlDb and runs its steps.', engineSection()),

    redis: section(
      'A crawl shared by several workers through Redis. Used only with `--redis`.',
      redisSection(),
    ),

    objectStore: section(
      'Object store (S3) of addresses like `s3://bucket/prefix`. Credentials come from the environment or the files of AWS.',
      objectStoreSection(),
    ),

    log: section('Log of the events of a crawl.', logSection()),

    notify: section('Notifications about a run, sent by commands.', notifySection()),

    monitoring: section('Metrics and traces of each run.', monitoringSection()),

    requestLog: booleanValue()
      .default(true)
      .describe(
        'Log every request in the crawl directory, for `orbweaver certify`. A million requests take 25 to 140 MB.',
      ),

    segments: stringValue(/^s3:\/\/[^\s/]+(?:\/\S*)?$/, 'an address like s3://bucket/prefix')
      .exactOptional()
      .describe(
        'Object store for the segments of the crawl: `s3://bucket/prefix` (also `--segments`). The crawl directory remembers it. Default: the crawl directory.',
      ),

    segmentCacheMb: integerValue(0, undefined, 'megabytes')
      .default(4096)
      .describe(
        'With `segments`: maximum size of the copies of objects in the crawl directory, in megabytes. Files in use are kept, even above it.',
      ),

    memoryMb: integerValue(64, undefined, 'megabytes')
      .exactOptional()
      .describe(
        'Memory limit of the database, in megabytes. Default: chosen by DuckDB from the memory of the machine.',
      ),
  },
  { error: objectExpected },
)

/** The configuration a user writes: every section and key is optional. */
export type OrbweaverConfig = z.input<typeof configSchema>

/** A checked configuration with all defaults, frozen except for objects that the user implemented. */
export type Settings = z.output<typeof configSchema>

function section<const Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  // Every key has a default or is optional, so `{}` is valid; TypeScript cannot infer that for a generic shape.
  const nothing = {} as never
  return z.strictObject(shape, { error: objectExpected }).readonly().prefault(nothing).describe(description)
}

function objectExpected({ code }: { code: string }): string | undefined {
  return code === 'invalid_type' ? 'expected an object' : undefined
}

function seconds(standard: number, description: string) {
  return numberValue(0.001, undefined, 'seconds').default(standard).describe(description)
}

function proxyUrl() {
  return stringValue(/^(?:https?|socks5):\/\/\S+$/, 'an http://, https:// or socks5:// URL')
}

function proxyOptions() {
  return z
    .strictObject({
      url: proxyUrl(),
      noProxy: listValue(stringValue(/./, 'a host name, or *'), 'hosts').default([]),
      resolve: choiceValue(['proxy', 'local']).default('proxy'),
    })
    .readonly()
}

function filterFunction() {
  return z.custom<FilterFunction>((value) => typeof value === 'function')
}

function trapOptions() {
  return z
    .strictObject({
      maxPathSegments: integerValue(1).default(20).describe('Maximum number of path segments.'),
      maxParameters: integerValue(0).default(30).describe('Maximum number of query parameters.'),
      maxSameParameters: integerValue(1)
        .default(6)
        .describe('Maximum number of query parameters with the same name.'),
      maxYearsAhead: integerValue(0)
        .default(3)
        .describe('Maximum number of years that a date in a URL may be ahead (endless calendars).'),
      earliestYear: integerValue(0).default(1600).describe('Earliest year of a date in a URL.'),
    })
    .readonly()
}
