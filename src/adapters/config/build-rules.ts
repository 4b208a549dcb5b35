import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { DEFAULT_MAX_LINKS } from '../../domain/content/format-reader.ts'
import type { ScanOptions } from '../../domain/html/html-scan.ts'
import { createLinkPolicy } from '../../domain/parse/link-policy.ts'
import type { ParseRules } from '../../domain/parse/parse-rules.ts'
import type { HostQueuesOptions } from '../../domain/politeness/host-queues.ts'
import { createAdaptiveSchedule } from '../../domain/schedule/adaptive-schedule.ts'
import { createDefaultSchedule } from '../../domain/schedule/default-schedule.ts'
import type { FetchSchedule } from '../../domain/schedule/fetch-schedule.ts'
import { combineScorings } from '../../domain/scoring/combined-scoring.ts'
import { createDepthScoring } from '../../domain/scoring/depth-scoring.ts'
import { createOpicScoring } from '../../domain/scoring/opic-scoring.ts'
import { type OrphanLimits, orphanLimits } from '../../domain/scoring/orphan-rule.ts'
import type { Scoring } from '../../domain/scoring/scoring.ts'
import { createNormalizer, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import type { Settings } from './config-schema.ts'
import { followNofollow } from './follow-nofollow.ts'
import { hostQueuesOptions } from './host-queues-options.ts'
import { urlFilters } from './url-filters.ts'

/** The rules a crawl goes by. `ParseRules` are those a worker thread needs. */
export interface Rules extends ParseRules {
  readonly normalize: UrlNormalizer
  readonly schedule: FetchSchedule
  /** Absent: pages that no page links to are left alone. */
  readonly orphans?: OrphanLimits
  /** For `HostQueues`; its `overrides` take the key of a queue. */
  readonly hosts: HostQueuesOptions
}

export interface RulesContext {
  readonly clock: Clock
  /** Normalised seeds, one for each host is enough: what `filters.scope` is counted from. Absent: no scope. */
  readonly seeds?: Iterable<string>
}

/**
 * Makes the objects of a crawl from its settings. The same settings and seeds make the same rules in every thread.
 * @throws ConfigurationError for values that do not go together, and for rule files that cannot be used
 */
export function buildRules(settings: Settings, { clock, seeds }: RulesContext): Rules {
  const { agent, links, parse } = settings
  const normalize = createNormalizer(settings.normalizer)
  const filter = urlFilters(settings.filters, clock, seeds)
  return {
    normalize,
    filter,
    links: createLinkPolicy(filter, { ...links, maxLength: links.maxOutlinkLength }),
    schedule: about('schedule', () => scheduleOf(settings.schedule)),
    scoring: about('scoring', () => scoringOf(settings)),
    ...(settings.orphans.enabled && { orphans: about('orphans', () => orphansOf(settings.orphans)) }),
    reading: {
      ...{ agent: agent.name, normalize, scan: scanLimits(settings), pdf: { clock } },
      signatures: [parse.signature, ...parse.fingerprints],
    },
    parseFilters: links.followNofollow ? [followNofollow, ...parse.filters] : parse.filters,
    signature: parse.signature,
    markFailed: parse.markFailed,
    hosts: hostQueuesOptions(settings.politeness),
  }
}

/** The reader keeps repeated links too: its limit must not be reached before `links.maxOutlinks` is. */
function scanLimits({ parse, links }: Settings): ScanOptions {
  return { maxTextChars: parse.maxTextChars, maxLinks: Math.max(DEFAULT_MAX_LINKS, 2 * links.maxOutlinks) }
}

function scheduleOf(schedule: Settings['schedule']): FetchSchedule {
  if ('onFetched' in schedule) return schedule
  return schedule.kind === 'adaptive' ? createAdaptiveSchedule(schedule) : createDefaultSchedule(schedule)
}

function orphansOf({ goneAfterSeconds, orphanAfterSeconds }: Settings['orphans']): OrphanLimits {
  return orphanLimits({ goneAfterSeconds, orphanAfterSeconds })
}

function scoringOf({ scoring, filters: { maxDepth } }: Settings): Scoring {
  const chosen = 'injected' in scoring ? scoring : builtInScoring(scoring)
  const counts = 'depth' in scoring && scoring.depth !== undefined
  // A limit on depth needs somebody who counts it.
  return maxDepth === undefined || counts
    ? chosen
    : combineScorings(chosen, createDepthScoring({ maxDepth: maxDepth + 1 }))
}

function builtInScoring({ opic, depth }: Exclude<Settings['scoring'], Scoring>): Scoring {
  if (opic === undefined) return createDepthScoring(depth)
  const byLinks = createOpicScoring(opic)
  return depth === undefined ? byLinks : combineScorings(byLinks, createDepthScoring(depth))
}

/** What a rule says about its options does not name their section. */
function about<T>(section: string, build: () => T): T {
  try {
    return build()
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new ConfigurationError('SETTING_INVALID', `${section}: ${error.message}`, { cause: error })
  }
}
