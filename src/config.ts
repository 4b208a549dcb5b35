/**
 * Types and functions for configuration files, and the built-in rules as examples and parts.
 * @module orbweaver/config
 */

export type { OrbweaverConfig } from './adapters/config/config-schema.ts'
export { defineConfig } from './adapters/config/define-config.ts'
export type { FilterFunction } from './adapters/config/filter-section.ts'
export type { OpenWriter } from './adapters/config/index-routing-section.ts'
export type {
  DocumentContent,
  DocumentInput,
  DocumentLimits,
  DocumentLink,
  DocumentReader,
} from './domain/content/documents/document-reader.ts'
export type { Protocol, ProtocolRequest, ProtocolResponse } from './domain/fetch/protocol.ts'
export type { FieldCondition } from './domain/indexing/field-condition.ts'
export type { IndexDocument, IndexedLink, IndexFilter, PageLinks } from './domain/indexing/index-document.ts'
export { type IndexFields, indexFields } from './domain/indexing/index-fields.ts'
export {
  type IndexChange,
  IndexUnavailable,
  type IndexWriter,
  type RefusedChange,
} from './domain/indexing/index-writer.ts'
export type { NoveltyRule } from './domain/novelty/novelty-budget.ts'
export type { HostEvidence } from './domain/novelty/pattern-evidence.ts'
export type { ParseChange, ParseFilter, ReadPage } from './domain/parse/parse-rules.ts'
export {
  type AdaptiveScheduleOptions,
  createAdaptiveSchedule,
  type IntervalBounds,
} from './domain/schedule/adaptive-schedule.ts'
export type { RateBucket } from './domain/schedule/allocate-fetches.ts'
export type { RateBelief } from './domain/schedule/change-rate.ts'
export type { ChangeState } from './domain/schedule/change-state.ts'
export { createDefaultSchedule, type DefaultScheduleOptions } from './domain/schedule/default-schedule.ts'
export type {
  ChangeEvidence,
  FetchSchedule,
  PageTiming,
  ScheduledPage,
  ScheduledTiming,
  SchedulePlanning,
} from './domain/schedule/fetch-schedule.ts'
export type {
  FreshnessPlan,
  HostRateGroup,
  RateFigures,
  RateGroup,
} from './domain/schedule/freshness-plan.ts'
export {
  createFreshnessSchedule,
  type FreshnessScheduleOptions,
} from './domain/schedule/freshness-schedule.ts'
export { combineScorings } from './domain/scoring/combined-scoring.ts'
export { createDepthScoring, type DepthScoringOptions } from './domain/scoring/depth-scoring.ts'
export { createOpicScoring, type OpicScoringOptions } from './domain/scoring/opic-scoring.ts'
export type {
  Discovery,
  InlinkSum,
  KeptLink,
  LinkContribution,
  ScoredPage,
  Scoring,
  Standing,
} from './domain/scoring/scoring.ts'
export type { ContentRow, LinkRow, ParseDataRow, ParseTextRow } from './domain/segment/segment-rows.ts'
export type { RecordedPage } from './domain/segment/segment-store.ts'
export type { CandidateUrl } from './domain/url/candidate-url.ts'
export type { FilterVerdict, UrlFilter } from './domain/url/url-filter.ts'
