import { z } from 'zod'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import type { Scoring } from '../../domain/scoring/scoring.ts'
import {
  booleanValue,
  choiceValue,
  docs,
  hostName,
  implementation,
  integerValue,
  listValue,
  numberValue,
  stringValue,
} from './config-values.ts'
import { engineSection } from './engine-section.ts'
import { filterSection, ruleLines } from './filter-section.ts'
import { hostDbSection } from './host-db-section.ts'
import { httpSection } from './http-section.ts'
import { logSection } from './log-section.ts'
import { monitoringSection } from './monitoring-section.ts'
import { normalizerSection } from './normalizer-section.ts'
import { notifySection } from './notify-section.ts'
import { noveltySection } from './novelty-section.ts'
import { objectStoreSection } from './object-store-section.ts'
import { parseSection } from './parse-section.ts'
import { protocolSection } from './protocol-section.ts'
import { redisSection } from './redis-section.ts'
import { renderSection } from './render-section.ts'
import { hostOverrides, hostSection, indexSection, scheduleOptions, scoringOptions } from './rule-sections.ts'

/**
 * Every key of a configuration with its type, default and description. The types below, the checks, the messages and the reference in
 * docs/configuration.md are derived from it. Descriptions are Markdown. A section is built when it is needed: most commands use few.
 */
const SECTIONS = {
  agent: () =>
    section('Identity of the crawler: sent in the User-Agent, and used to find its group in robots.txt.', {
      name: stringValue(
        /^[A-Za-z_-][A-Za-z0-9_-]*$/,
        'a name of letters, digits, "-" and "_" that does not start with a digit',
      )
        .default('orbweaver')
        .register(docs, { description: 'Product name in the User-Agent and in robots.txt.' }),
      contactUrl: stringValue(/^https?:\/\/[^\s()\\]+$/, 'an http or https URL')
        .exactOptional()
        .register(docs, { description: 'URL of a page that describes the crawler and how to block it.' }),
      email: stringValue(/^[\x21-\x7e]+@[\x21-\x7e]+$/, 'an address like bot@example.org')
        .exactOptional()
        .register(docs, { description: 'Contact address for site owners.' }),
    }),

  http: () => section('Requests, limits for responses, and hosts that may be connected to.', httpSection()),

  protocols: () => section('Protocols besides HTTP. Only seeds lead to their URLs.', protocolSection()),

  robots: () =>
    section('Interpretation of robots.txt. It is always obeyed.', {
      denyOnForbidden: booleanValue().default(false).register(docs, {
        description:
          'Disallow every URL of a host whose robots.txt returns 401 or 403. Otherwise such a host has no rules (RFC 9309).',
      }),
      aiUseFiles: booleanValue().default(false).register(docs, {
        description:
          'Also fetch `/ai.txt` and `/.well-known/tdmrep.json` of each host, and store the AI-use preferences in them with its pages. Two more requests per host and day.',
      }),
    }),

  politeness: () =>
    section('Request rate and concurrency.', {
      threads: integerValue(1)
        .default(64)
        .register(docs, { description: 'Maximum concurrent requests to all hosts together.' }),
      queueMode: choiceValue(['host', 'domain']).default('host').register(docs, {
        description:
          'Whether each host or each registered domain has its own queue. The delay applies per queue.',
      }),
      ...hostSection(),
      hosts: z
        .record(hostName(), z.strictObject(hostOverrides()).readonly(), {
          error: 'expected host names with their settings',
        })
        .readonly()
        .default({})
        .register(docs, {
          description:
            'Settings for single hosts, with the keys from `delaySeconds` on: `{ "example.com": { delaySeconds: 5 } }`. An entry also applies to subdomains.',
        }),
    }),

  normalizer: () => section('URL normalization.', normalizerSection()),

  filters: () =>
    section('URL filters. A URL must pass all of them; they run in this order.', filterSection()),

  links: () =>
    section('Outlinks of a page that are followed.', {
      ignoreInternal: booleanValue()
        .default(false)
        .register(docs, { description: 'Drop links to the host of the page.' }),
      ignoreExternal: booleanValue()
        .default(false)
        .register(docs, { description: 'Drop links and redirects to other hosts than that of the page.' }),
      exempt: ruleLines().exactOptional().register(docs, {
        description:
          'Links that `ignoreExternal` does not drop: lines of `+pattern` and `-pattern`, as in `filters.rules`, or a file name.',
        displayType: 'file name, or list of lines',
      }),
      compare: choiceValue(['host', 'domain']).default('host').register(docs, {
        description: 'Whether `ignoreInternal` and `ignoreExternal` compare hosts or registered domains.',
      }),
      maxOutlinks: integerValue(0).default(100_000).register(docs, {
        description: 'Maximum number of links kept per page. `readdb --stats` shows how many were dropped.',
      }),
      maxOutlinkLength: integerValue(1, undefined, 'characters')
        .default(4096)
        .register(docs, { description: 'Maximum length of a link, in characters.' }),
      followNofollow: booleanValue().default(false).register(docs, {
        description: 'Follow links with `rel="nofollow"`. A nofollow for the whole page is always obeyed.',
      }),
      inheritMetadata: listValue(stringValue(/^[^"\\]+$/, 'a key'), 'keys of metadata')
        .default([])
        .register(docs, {
          description:
            'Metadata of seeds that the pages they link to inherit, and the pages after them, by key (Nutch: urlmeta, scoring-metadata). A page keeps a value that it has. Needs the DuckDB engine.',
        }),
      sitemaps: booleanValue().default(false).register(docs, {
        description:
          'Fetch the sitemaps of each host, every day: those that robots.txt names, or else `/sitemap.xml`, `/sitemap_index.xml`, `/sitemap.xml.gz` and `/sitemap.txt`. Their entries are followed like links; dates, change frequencies and priorities are used ([Keeping a crawl fresh](fresh.md)). Filters and robots.txt apply.',
      }),
      llmsTxt: booleanValue().default(false).register(docs, {
        description:
          'Fetch `/llms.txt` of each host, as if its pages linked to it, and follow the links in it. Filters and robots.txt apply.',
      }),
    }),

  schedule: () =>
    z
      .union(
        [
          choiceValue(['default', 'adaptive', 'freshness']).transform((kind) =>
            scheduleOptions().parse({ kind }),
          ),
          implementation<FetchSchedule>('FetchSchedule', ['initialise', 'onFetched', 'onGone', 'onRetry']),
          scheduleOptions(),
        ],
        {
          error:
            "expected 'default', 'adaptive', 'freshness', { kind, … } or an object that implements FetchSchedule",
        },
      )
      .prefault('default')
      .register(docs, {
        description:
          'When a page is fetched again. `default`: after a fixed interval. `adaptive`: the interval follows how often the page changes. `freshness`: a budget of fetches per day is spent where it keeps the most copies fresh ([Keeping a crawl fresh](fresh.md)). Or your own `FetchSchedule`.',
        displayType: "`'default'`, `'adaptive'`, `'freshness'`, `{ kind, … }` or a `FetchSchedule`",
      }),

  scoring: () =>
    z
      .union(
        [
          choiceValue(['opic', 'link', 'depth']).transform((name) => scoringOptions().parse({ [name]: {} })),
          implementation<Scoring>('Scoring', [
            'injected',
            'initial',
            'sortValue',
            'distribute',
            'update',
            'indexBoost',
          ]),
          scoringOptions().refine(
            ({ opic, link, depth }) =>
              opic === undefined ? link !== undefined || depth !== undefined : link === undefined,
            {
              error: 'expected opic or link, depth, or one of the first two with depth',
              // An unknown key has been reported already.
              when: ({ issues }) => issues.length === 0,
            },
          ),
        ],
        {
          error:
            "expected 'opic', 'link', 'depth', { opic or link, depth } or an object that implements Scoring",
        },
      )
      .prefault('opic')
      .register(docs, {
        description:
          'Score, which decides which due URLs are fetched first. `opic`: pages pass their score on to the pages they link to. `depth`: pages near the seeds first, up to a maximum depth. With the keys `opic` and `depth`, or `link` and `depth`, both apply. `link`: only `linkrank --update-scores` changes scores. Or your own `Scoring`.',
        displayType: "`'opic'`, `'link'`, `'depth'`, `{ opic? or link?, depth? }` or a `Scoring`",
      }),

  novelty: () => noveltySection(),

  orphans: () =>
    section(
      'Pages without inlinks (Nutch: scoring-orphan). Inlinks are counted from the moment this is enabled; seeds that never had an inlink are ignored.',
      {
        enabled: booleanValue().default(false).register(docs, {
          description:
            'Mark pages without inlinks during `updatedb`. An inlink counts when its page is fetched: choose times longer than `schedule.maxIntervalSeconds`.',
        }),
        goneAfterSeconds: integerValue(1, undefined, 'seconds')
          .default(2_592_000)
          .register(docs, { description: 'Seconds without an inlink after which a page becomes `db_gone`.' }),
        orphanAfterSeconds: integerValue(1, undefined, 'seconds').default(3_456_000).register(docs, {
          description:
            'Seconds without an inlink after which a page becomes `db_orphan`. `updatedb --purge-orphans` removes such pages.',
        }),
      },
    ),

  parse: () => section('Parsing of fetched pages.', parseSection()),

  render: () => section('Pages that are rendered in a browser before they are parsed.', renderSection()),

  limits: () =>
    section('Limits of a crawl.', {
      redirectMax: integerValue(0)
        .default(5)
        .register(docs, { description: 'Maximum number of redirects followed from one URL.' }),
      retryMax: integerValue(1).default(3).register(docs, {
        description: 'Number of consecutive failures after which a page becomes `db_gone`.',
      }),
      timeLimitMinutes: numberValue(0, undefined, 'minutes')
        .exactOptional()
        .register(docs, { description: 'Maximum time for a fetch, in minutes. Default: no limit.' }),
      maxPages: integerValue(1).exactOptional().register(docs, {
        description: 'Maximum number of pages fetched by one `crawl`. Default: no limit.',
      }),
    }),

  index: () => section('Documents sent to search indexes.', indexSection()),

  engine: () => section('Engine that stores the CrawlDb and runs its steps.', engineSection()),

  redis: () =>
    section('A crawl shared by several workers through Redis. Used only with `--redis`.', redisSection()),

  objectStore: () =>
    section(
      'Object store (S3) of addresses like `s3://bucket/prefix`. Credentials come from the environment or the files of AWS.',
      objectStoreSection(),
    ),

  hostDb: () =>
    section('Facts about hosts (Nutch: HostDb): [hosts and links](hosts-and-links.md).', hostDbSection()),

  log: () => section('Log of the events of a crawl.', logSection()),

  notify: () => section('Notifications about a run, sent by commands.', notifySection()),

  monitoring: () => section('Metrics and traces of each run.', monitoringSection()),

  requestLog: () =>
    booleanValue().default(true).register(docs, {
      description:
        'Log every request in the crawl directory, for `orbweaver certify`. A million requests take 26 to 186 MB.',
    }),

  segments: () =>
    stringValue(/^s3:\/\/[^\s/]+(?:\/\S*)?$/, 'an address like s3://bucket/prefix')
      .exactOptional()
      .register(docs, {
        description:
          'Object store for the segments of the crawl: `s3://bucket/prefix`. The crawl directory remembers it. Default: the crawl directory.',
      }),

  segmentCacheMb: () =>
    integerValue(0, undefined, 'megabytes').default(4096).register(docs, {
      description:
        'With `segments`: maximum size of the copies of objects in the crawl directory, in megabytes. Files in use are kept, even above it.',
    }),

  memoryMb: () =>
    integerValue(64, undefined, 'megabytes').exactOptional().register(docs, {
      description: 'Memory limit of the database, in megabytes. Default: 2048; of a spider 128.',
    }),
}

type SectionName = keyof typeof SECTIONS
type Shape = { readonly [Name in SectionName]: ReturnType<(typeof SECTIONS)[Name]> }

const sections = new Map<string, z.ZodType>()

/** The schema of one section; `undefined`: there is no section of that name. */
export function sectionSchema(name: string): z.ZodType | undefined {
  if (!Object.hasOwn(SECTIONS, name)) return undefined
  const schema = sections.get(name) ?? SECTIONS[name as SectionName]()
  sections.set(name, schema)
  return schema
}

let schema: z.ZodObject<Shape, z.core.$strict> | undefined

/** The schema of a whole configuration. */
export function configSchema(): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(SECTIONS)
  const shape = () => Object.fromEntries(names.map((name) => [name, sectionSchema(name)])) as Shape
  schema ??= z.strictObject(shape(), { error: objectExpected })
  return schema
}

/** The configuration a user writes: every section and key is optional. docs/configuration.md lists all keys with their defaults. */
export interface OrbweaverConfig extends z.input<ReturnType<typeof configSchema>> {}

/** A checked configuration with all defaults, frozen except for objects that the user implemented. */
export type Settings = z.output<ReturnType<typeof configSchema>>

function section<const Shape extends z.ZodRawShape>(description: string, shape: Shape) {
  // Every key has a default or is optional, so `{}` is valid; TypeScript cannot infer that for a generic shape.
  const nothing = {} as never
  return z
    .strictObject(shape, { error: objectExpected })
    .readonly()
    .prefault(nothing)
    .register(docs, { description })
}

function objectExpected({ code }: { code: string }): string | undefined {
  return code === 'invalid_type' ? 'expected an object' : undefined
}
