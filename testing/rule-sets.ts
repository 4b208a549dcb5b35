import type { JudgeUrl } from '../src/domain/crawldb/crawl-db-requests.ts'
import type { InjectRules } from '../src/domain/crawldb/inject-record.ts'
import type { UpdateRules } from '../src/domain/crawldb/update-record.ts'
import { createDefaultSchedule } from '../src/domain/schedule/default-schedule.ts'
import { combineScorings } from '../src/domain/scoring/combined-scoring.ts'
import { createDepthScoring } from '../src/domain/scoring/depth-scoring.ts'
import { createOpicScoring } from '../src/domain/scoring/opic-scoring.ts'

/** The rules of one crawl, as its configuration gives them. */
export interface RuleSet {
  readonly rules: InjectRules & UpdateRules
  readonly judge?: JudgeUrl
}

/** The rules a crawl has by default. */
export const defaultRules: InjectRules & UpdateRules = {
  schedule: createDefaultSchedule(),
  scoring: createOpicScoring(),
}

/**
 * The rules of the contract tests of the CrawlDb, by name: functions cannot be sent to another process, but that process can import this
 * module.
 */
export const RULE_SETS = {
  default: { rules: defaultRules },
  noAdditions: { rules: { ...defaultRules, additionsAllowed: false } },
  /** Nutch's defaults. */
  orphans: {
    rules: { ...defaultRules, orphans: { goneAfterSeconds: 2_592_000, orphanAfterSeconds: 3_456_000 } },
  },
  depth: { rules: { ...defaultRules, scoring: createDepthScoring({ maxDepth: 5 }) } },
  opicAndDepth: {
    rules: { ...defaultRules, scoring: combineScorings(createOpicScoring(), createDepthScoring()) },
  },
  even: {
    rules: defaultRules,
    judge: (url) =>
      /[13579]$/.test(url) ? { ok: false, reason: 'odd', detail: 'ends in an odd digit' } : { ok: true, url },
  },
  noSpam: {
    rules: defaultRules,
    judge: (url) =>
      url.includes('spam')
        ? { ok: false, reason: 'filtered', detail: 'spam' }
        : { ok: true, url: url.replace(/\?.*/, '') },
  },
} as const satisfies Readonly<Record<string, RuleSet>>

export type RuleSetName = keyof typeof RULE_SETS
