import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { createLanguageDetector } from '../../domain/content/detect-language.ts'
import { DEFAULT_MAX_LINKS } from '../../domain/content/format-reader.ts'
import type { ScanOptions } from '../../domain/html/html-scan.ts'
import type { NoveltyRules } from '../../domain/novelty/novelty-rules.ts'
import { createLinkPolicy, type LinkPolicy } from '../../domain/parse/link-policy.ts'
import { createLlmsTxtFilter } from '../../domain/parse/llms-txt-filter.ts'
import type { ParseFilter, ParseRules } from '../../domain/parse/parse-rules.ts'
import type { HostQueuesOptions } from '../../domain/politeness/host-queues.ts'
import { createAdaptiveSchedule } from '../../domain/schedule/adaptive-schedule.ts'
import { createDefaultSchedule } from '../../domain/schedule/default-schedule.ts'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import { createFreshnessSchedule } from '../../domain/schedule/freshness-schedule.ts'
import { combineScorings } from '../../domain/scoring/combined-scoring.ts'
import { createDepthScoring } from '../../domain/scoring/depth-scoring.ts'
import { createLinkScoring } from '../../domain/scoring/link-scoring.ts'
import { createOpicScoring } from '../../domain/scoring/opic-scoring.ts'
import { type OrphanLimits, orphanLimits } from '../../domain/scoring/orphan-rule.ts'
import type { Scoring } from '../../domain/scoring/scoring.ts'
import type { UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { DecidingFilter } from '../../domain/url/url-filter.ts'
import type { Settings } from './config-schema.ts'
import { hostQueuesOptions } from './host-queues-options.ts'
import { noveltyRules } from './novelty-section.ts'
import { enabledSchemes } from './protocol-section.ts'
import { ruleFilter, urlFilters } from './url-filters.ts'
import { urlNormalizer } from './url-normalizer.ts'

/** The rules of a crawl. Parser threads need only the `ParseRules`. */
export interface Rules extends ParseRules {
  readonly normalize: UrlNormalizer
  readonly schedule: FetchSchedule
  /** Absent: pages without inlinks are not marked. */
  readonly orphans?: OrphanLimits
  /** Absent: no URL is held back. */
  readonly novelty?: NoveltyRules
  /** Options of `HostQueues`; `overrides` takes the key of a queue. */
  readonly hosts: HostQueuesOptions
}

export interface RulesContext {
  readonly clock: Clock
  /** Normalised seeds that `filters.scope` refers to; one per host is enough. Absent: no scope. */
  readonly seeds?: Iterable<string>
}

/**
 * Builds the rules of a crawl from its settings. The same settings and seeds give the same rules in every thread.
 * @throws ConfigurationError for values that contradict each other, and for invalid rule files
 */
export function buildRules(settings: Settings, { clock, seeds }: RulesContext): Rules {
  const { agent, links, parse } = settings
  const normalize = urlNormalizer(settings.normalizer, enabledSchemes(settings.protocols))
  const novelty = noveltyRules(settings.novelty)
  const filter = urlFilters(settings.filters, clock, seeds)
  const schedule = inSection('schedule', () => scheduleOf(settings.schedule))
  return {
    normalize,
    filter,
    links: linkPolicyOf(links, filter),
    schedule,
    ...((schedule.planning !== undefined || links.sitemaps) && { scheduleHints: true }),
    ...(links.sitemaps && { sitemaps: true }),
    scoring: inSection('scoring', () => scoringOf(settings)),
    ...(settings.orphans.enabled && { orphans: inSection('orphans', () => orphansOf(settings.orphans)) }),
    reading: {
      ...{ agent: agent.name, normalize, scan: scanLimits(settings), pdf: { clock } },
      maxExpandedBytes: parse.maxExpandedBytes,
      ...(parse.detectLanguage && { detectLanguage: createLanguageDetector() }),
      ...(Object.keys(parse.readers).length > 0 && { readers: parse.readers }),
      signatures: [
        parse.signature,
        ...parse.fingerprints,
        ...(novelty === undefined ? [] : NOVELTY_SIGNATURES),
      ],
    },
    ...withoutUndefined({ novelty }),
    parseFilters: [
      ...(links.followNofollow ? [followNofollow] : []),
      ...(links.llmsTxt ? [createLlmsTxtFilter()] : []),
      ...(parse.headings.length > 0 ? [headingsFilter(parse.headings)] : []),
      ...parse.filters,
    ],
    signature: parse.signature,
    markFailed: parse.markFailed,
    hosts: withoutDelayForFiles(hostQueuesOptions(settings.politeness)),
  }
}

function linkPolicyOf({ exempt, ...limits }: Settings['links'], filter: DecidingFilter): LinkPolicy {
  return createLinkPolicy(filter, {
    ...limits,
    maxLength: limits.maxOutlinkLength,
    ...(exempt !== undefined && { exempt: ruleFilter(exempt, 'links.exempt') }),
  })
}

/** Its parser is loaded with the first page. */
function headingsFilter(levels: readonly string[]): ParseFilter {
  let filter: Promise<ParseFilter> | undefined
  return {
    name: 'parse.headings',
    filter: async (page) => {
      filter ??= import('../../domain/extraction/headings-filter.ts').then(({ createHeadingsFilter }) =>
        createHeadingsFilter(levels),
      )
      return (await filter).filter(page)
    },
  }
}

/** URLs of files have no host, and no server that needs a pause. */
function withoutDelayForFiles(options: HostQueuesOptions): HostQueuesOptions {
  return { ...options, overrides: (key) => (key === '' ? FILE_QUEUE : options.overrides?.(key)) }
}

const FILE_QUEUE = { delayMs: 0, maxInFlight: 4 }
/** What novelty is measured by, and `dedup --near` then need not compute. */
const NOVELTY_SIGNATURES = ['sim-hash', 'sketch'] as const

/** The parser counts repeated links too, so its limit is higher than `links.maxOutlinks`. */
function scanLimits({ parse, links }: Settings): ScanOptions {
  return { maxTextChars: parse.maxTextChars, maxLinks: Math.max(DEFAULT_MAX_LINKS, 2 * links.maxOutlinks) }
}

function scheduleOf(schedule: Settings['schedule']): FetchSchedule {
  if ('onFetched' in schedule) return schedule
  switch (schedule.kind) {
    case 'adaptive':
      return createAdaptiveSchedule(schedule)
    case 'freshness':
      return createFreshnessSchedule(schedule)
    default:
      return createDefaultSchedule(schedule)
  }
}

function orphansOf({ goneAfterSeconds, orphanAfterSeconds }: Settings['orphans']): OrphanLimits {
  return orphanLimits({ goneAfterSeconds, orphanAfterSeconds })
}

function scoringOf({ scoring, filters: { maxDepth } }: Settings): Scoring {
  const chosen = 'injected' in scoring ? scoring : builtInScoring(scoring)
  const countsDepth = 'depth' in scoring && scoring.depth !== undefined
  // Depth scoring is what records the depth of a page.
  return maxDepth === undefined || countsDepth
    ? chosen
    : combineScorings(chosen, createDepthScoring({ maxDepth: maxDepth + 1 }))
}

function builtInScoring({ opic, link, depth }: Exclude<Settings['scoring'], Scoring>): Scoring {
  if (opic === undefined && link === undefined) return createDepthScoring(depth)
  const scoring = link === undefined ? createOpicScoring(opic) : createLinkScoring(link)
  return depth === undefined ? scoring : combineScorings(scoring, createDepthScoring(depth))
}

/** Follows links with rel="nofollow" by removing that token. */
const followNofollow: ParseFilter = {
  name: 'links.followNofollow',
  filter: ({ reading: { links } }) => ({
    links: links.map((link) => ({ ...link, rel: link.rel.filter((token) => token !== 'nofollow') })),
  }),
}

/** Puts the name of the section before the message of a rule. */
function inSection<T>(section: string, build: () => T): T {
  try {
    return build()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new ConfigurationError('SETTING_INVALID', `${section}: ${error.message}`, { cause: error })
  }
}
