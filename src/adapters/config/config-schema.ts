import { z } from 'zod'
import type { ParseFilter } from '../../domain/parse/parse-filter.ts'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import type { Scoring } from '../../domain/scoring/scoring.ts'
import type { UrlFilter } from '../../domain/url/url-filter.ts'
import { choice, flag, hostName, implementation, list, number, text, wholeNumber } from './config-values.ts'
import type { FilterFunction } from './filter-function.ts'
import { hostKeys, hostOverrideKeys } from './host-keys.ts'
import { indexKeys } from './index-keys.ts'
import { redisKeys } from './redis-keys.ts'
import { scheduleOptions, scoringOptions } from './rule-options.ts'

/**
 * Every key of a configuration: what it holds, its default and what it does. The one place they are written: the types below, the
 * checks, and the table in docs/configuration.md come from it. Text in it is Markdown.
 */
export const configSchema = z.strictObject(
  {
    agent: section('Who crawls: sites see it in the User-Agent, and robots.txt is read for this name.', {
      name: text(/^[A-Za-z_-][A-Za-z0-9_-]*$/, 'a name of letters, digits, "-" and "_", no digit first')
        .default('orbweaver')
        .describe('The name sites and robots.txt know the crawler by.'),
      contactUrl: text(/^https?:\/\/[^\s()\\]+$/, 'an http or https URL')
        .exactOptional()
        .describe('A page that says what the crawler does and how to keep it out.'),
      email: text(/^[\x21-\x7e]+@[\x21-\x7e]+$/, 'an address like bot@example.org')
        .exactOptional()
        .describe('Where site owners can write to.'),
    }),

    http: section('What is sent, what is accepted, and whom the crawler may talk to.', {
      timeoutSeconds: seconds(60, 'Longest time for one request, from the call to the last byte.'),
      connectTimeoutSeconds: seconds(10, 'From the address to the finished handshake.'),
      headersTimeoutSeconds: seconds(20, 'From the sent request to the head of the answer.'),
      bodyTimeoutSeconds: seconds(15, 'Longest silence inside a body.'),
      minBytesPerSecond: number(0).default(1024).describe('A body that comes more slowly is given up.'),
      maxBodyBytes: wholeNumber(1, undefined, 'bytes')
        .default(10 * 1024 * 1024)
        .describe('Longest body kept, decoded; what is longer is cut.'),
      maxDeclaredBytes: wholeNumber(1, undefined, 'bytes')
        .default(100 * 1024 * 1024)
        .describe('A longer Content-Length is refused unread. Never less than `maxBodyBytes`.'),
      headers: z
        .record(
          text(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'header names without spaces'),
          text(/^[\t\x20-\x7e]*$/, 'a header value in plain ASCII'),
          { error: 'give header names with their values' },
        )
        .readonly()
        .default({})
        .describe('Sent with every request; a name given here replaces our own header.'),
      proxy: z
        .union([proxyUrl().transform((url) => ({ url })), proxyOptions()], {
          error: 'give an http://, https:// or socks5:// URL, or { url, noProxy, resolve }',
        })
        .exactOptional()
        .meta({
          description:
            'http, https or socks5 proxy. `noProxy`: hosts asked directly. `resolve`: who turns names into addresses, the `proxy` (default) or we (`local`).',
          shownType: 'URL, or `{ url, noProxy?, resolve? }`',
        }),
      cookies: flag().default(false).describe('Keep and send cookies.'),
      http2: flag().default(true).describe('Offer HTTP/2 in the TLS handshake.'),
      insecureHosts: list(hostName(), 'hosts')
        .default([])
        .describe('Hosts whose certificates are not checked.'),
      allowPrivateHosts: list(hostName(), 'hosts')
        .default([])
        .describe(
          'Hosts that may have any address, private ones included. Seeds and start URLs need no entry if they are IP addresses, localhost, or names that had a private address when they were first given.',
        ),
    }),

    robots: section('How robots.txt is read. It is always obeyed.', {
      denyOnForbidden: flag()
        .default(false)
        .describe(
          'Disallow every page of a site whose robots.txt returns 401 or 403. Without it, such a site has no rules, as RFC 9309 says.',
        ),
    }),

    politeness: section('How fast hosts are asked.', {
      threads: wholeNumber(1).default(64).describe('Requests in flight over all hosts.'),
      queueMode: choice(['host', 'domain'])
        .default('host')
        .describe('What a queue is for: the delay holds between two requests of one queue.'),
      ...hostKeys(),
      hosts: z
        .record(hostName(), z.strictObject(hostOverrideKeys()).readonly(), {
          error: 'give hosts with what differs for them',
        })
        .readonly()
        .default({})
        .describe(
          'What differs for single hosts, with the keys from `delaySeconds` on: `{ "example.com": { delaySeconds: 5 } }`. An entry covers its sub-domains too.',
        ),
    }),

    normalizer: section('How URLs are brought into one form.', {
      trailingSlash: choice(['keep', 'add', 'remove']).default('keep').describe('`/a` and `/a/`.'),
      removeDefaultPage: flag().default(false).describe('`/a/index.html` becomes `/a/`.'),
      sortQuery: flag().default(false).describe('Put parameters in the order of their text.'),
      removeTrackingParameters: flag().default(false).describe('Drop `utm_source`, `gclid` and the like.'),
      removeSessionIds: flag().default(true).describe('Drop `;jsessionid=…`, `sid=…` and the like.'),
      maxLength: wholeNumber(1, 65_536, 'characters').default(8192).describe('Longest URL.'),
    }),

    filters: section('Which URLs are wanted. A URL must pass all of them, in this order.', {
      scope: choice(['host', 'domain', 'any'])
        .default('host')
        .describe('How far `crawl` goes from its seeds: their hosts, their registered domains, or anywhere.'),
      allowDomains: list(hostName(), 'host names').default([]).describe('Only these and what is under them.'),
      denyDomains: list(hostName(), 'host names').default([]).describe('Not these, nor what is under them.'),
      prefixes: list(text(/./, 'how a URL may start'), 'URL prefixes')
        .default([])
        .describe('Only URLs that start with one of these.'),
      suffixes: list(text(/./, 'how a path may end'), 'path suffixes')
        .default([])
        .describe('No URL whose path ends with one of these, in upper or lower case.'),
      rules: z
        .union([text(/./, 'a file name'), list(text(/^/, 'a line of text'), 'rule lines')], {
          error: 'give the name of a rule file, or a list of rule lines',
        })
        .exactOptional()
        .meta({
          description:
            'Lines of `+pattern` and `-pattern`, the first that matches decides: a file, named from the folder of the configuration, or the lines themselves. Without it, files no reader exists for are left out.',
          shownType: 'file name, or list of lines',
        }),
      maxLength: wholeNumber(1, undefined, 'characters').exactOptional().describe('Longest URL.'),
      maxDepth: wholeNumber(0, undefined, 'links')
        .exactOptional()
        .describe('Most links between a seed and a page; 0 keeps to the seeds.'),
      traps: z
        .union([z.literal(false), trapOptions()], { error: 'give false, or an object with limits' })
        .prefault({})
        .meta({ description: 'Shapes of URLs that have no end; `false` lets them pass.' }),
      custom: list(
        z.union([implementation<UrlFilter>('UrlFilter', ['judge']), filterFunction()], {
          error: 'give a UrlFilter (an object with name and judge), or a function',
        }),
        'URL filters',
      )
        .default([])
        .meta({
          description: 'Filters of your own, asked after all others.',
          shownType: 'list of `UrlFilter` or functions',
        }),
    }),

    links: section('Which links of a page are followed.', {
      ignoreInternal: flag().default(false).describe('Drop links that stay on the host of their page.'),
      ignoreExternal: flag()
        .default(false)
        .describe('Drop links and redirects that leave the host of their page.'),
      compare: choice(['host', 'domain']).default('host').describe('What these two compare.'),
      maxOutlinks: wholeNumber(0)
        .default(100_000)
        .describe('Maximum number of links kept from one page; `readdb --stats` counts the rest.'),
      maxOutlinkLength: wholeNumber(1, undefined, 'characters').default(4096).describe('Longest link.'),
      followNofollow: flag()
        .default(false)
        .describe('Follow links marked `rel="nofollow"`. A page that forbids following is obeyed anyway.'),
    }),

    schedule: z
      .union(
        [
          choice(['default', 'adaptive']).transform((kind) => scheduleOptions().parse({ kind })),
          implementation<FetchSchedule>('FetchSchedule', ['initialise', 'onFetched', 'onGone', 'onRetry']),
          scheduleOptions(),
        ],
        { error: "give 'default', 'adaptive', { kind, … } or an object that implements FetchSchedule" },
      )
      .prefault('default')
      .meta({
        description:
          'When a page is visited again. `default`: at a fixed interval. `adaptive`: more often the more it changes. Or an object of your own.',
        shownType: "`'default'`, `'adaptive'`, `{ kind, … }` or a `FetchSchedule`",
      }),

    scoring: z
      .union(
        [
          choice(['opic', 'depth']).transform((name) => scoringOptions().parse({ [name]: {} })),
          implementation<Scoring>('Scoring', [
            'injected',
            'initial',
            'sortValue',
            'distribute',
            'update',
            'indexBoost',
          ]),
          scoringOptions().refine(({ opic, depth }) => opic !== undefined || depth !== undefined, {
            error: 'name opic, depth or both',
            // A key that is no scoring rule has been complained about already.
            when: ({ issues }) => issues.length === 0,
          }),
        ],
        { error: "give 'opic', 'depth', { opic, depth } or an object that implements Scoring" },
      )
      .prefault('opic')
      .meta({
        description:
          'Which pages are fetched first. `opic`: pages share their worth along links. `depth`: near the seeds first, and not too far. Both when both are given; or an object of your own.',
        shownType: "`'opic'`, `'depth'`, `{ opic?, depth? }` or a `Scoring`",
      }),

    orphans: section(
      'Pages that no page links to any more (Nutch: scoring-orphan). Links are counted from when it is enabled; seeds that were never linked are left alone.',
      {
        enabled: flag()
          .default(false)
          .describe(
            'Whether updates mark such pages. Every page must be linked again, by a page that is fetched again, within the times below: keep them longer than `schedule.maxIntervalSeconds`.',
          ),
        goneAfterSeconds: wholeNumber(1, undefined, 'seconds')
          .default(2_592_000)
          .describe('Without a link for this long, a page becomes `db_gone`.'),
        orphanAfterSeconds: wholeNumber(1, undefined, 'seconds')
          .default(3_456_000)
          .describe(
            'Without a link for this long, it becomes `db_orphan`, which `updatedb --purge-orphans` removes.',
          ),
      },
    ),

    parse: section('How pages are read.', {
      maxTextChars: wholeNumber(1).default(1_000_000).describe('Longest text kept of a page.'),
      signature: choice(['md5', 'text-profile'])
        .default('md5')
        .describe('What tells whether a page has changed: every byte, or the words it uses most.'),
      fingerprints: list(choice(['text-profile', 'sim-hash']), 'fingerprints')
        .default([])
        .describe(
          'Kept in `parse_data` beside the signature, for who looks for pages that are nearly the same; each takes about as long as reading the page.',
        ),
      markFailed: flag()
        .default(false)
        .describe(
          'Whether a page that was fetched and could not be read becomes `db_parse_failed`: it is visited less and less often, and `clean` names it. Without it, it counts as fetched.',
        ),
      filters: list(implementation<ParseFilter>('ParseFilter', ['filter']), 'parse filters')
        .default([])
        .meta({
          description: 'Run over every parsed page, in worker threads; they add fields and change links.',
          shownType: 'list of `ParseFilter`',
        }),
    }),

    limits: section('Where a crawl stops trying.', {
      redirectMax: wholeNumber(0).default(5).describe('Redirects followed from one URL.'),
      retryMax: wholeNumber(1).default(3).describe('The failure in a row that makes a page gone.'),
      timeLimitMinutes: number(0, undefined, 'minutes').exactOptional().describe('Longest time for a fetch.'),
      maxPages: wholeNumber(1).exactOptional().describe('Most pages fetched by one `crawl`.'),
    }),

    index: section('What search indexes are told about pages.', indexKeys()),

    redis: section('A crawl that a fleet works on, in Redis. Used with `--redis` alone.', redisKeys()),

    memoryMb: wholeNumber(64, undefined, 'megabytes')
      .exactOptional()
      .describe('What the database may use. Without it, the database decides by the size of the machine.'),
  },
  { error: anObject },
)

/** What users write: every section and key may be left out. */
export type OrbweaverConfig = z.input<typeof configSchema>

/** A whole configuration: checked, defaults filled in, frozen but for the objects of the user's own. */
export type Settings = z.output<typeof configSchema>

function section<const Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  // `{}` is input to every section, as each key has a default or may be left out; for a generic shape TypeScript cannot know.
  const nothing = {} as never
  return z.strictObject(shape, { error: anObject }).readonly().prefault(nothing).describe(description)
}

function anObject({ code }: { code: string }): string | undefined {
  return code === 'invalid_type' ? 'give an object' : undefined
}

function seconds(standard: number, description: string) {
  return number(0.001, undefined, 'seconds').default(standard).describe(description)
}

function proxyUrl() {
  return text(/^(?:https?|socks5):\/\/\S+$/, 'an http://, https:// or socks5:// URL')
}

function proxyOptions() {
  return z
    .strictObject({
      url: proxyUrl(),
      noProxy: list(text(/./, 'a host name, or *'), 'hosts').default([]),
      resolve: choice(['proxy', 'local']).default('proxy'),
    })
    .readonly()
}

function filterFunction() {
  return z.custom<FilterFunction>((value) => typeof value === 'function')
}

function trapOptions() {
  return z
    .strictObject({
      maxPathSegments: wholeNumber(1).default(20).describe('Most segments in a path.'),
      maxParameters: wholeNumber(0).default(30).describe('Most parameters in a query.'),
      maxSameParameters: wholeNumber(1).default(6).describe('Most parameters of one name.'),
      maxYearsAhead: wholeNumber(0).default(3).describe('A dated page further ahead is an endless calendar.'),
      earliestYear: wholeNumber(0).default(1600).describe('A dated page before this year is one, too.'),
    })
    .readonly()
}
