import type { ParameterEvidence } from './ignored-parameter.ts'
import type { PatternEvidence } from './pattern-evidence.ts'

/** What a crawl has learned about its URL patterns. */
export interface NoveltyReport {
  /** Sorted by pattern. For a URL: its pattern, if it has one. */
  readonly patterns: readonly PatternEvidence[]
  /** Parameters with evidence. For a URL: those of its parameters that are ignored. */
  readonly parameters: readonly ParameterEvidence[]
}

/** A decision of the user about patterns or parameters, by their text or by the beginning of it. */
export interface NoveltyChange {
  /** `release`: fetch them whatever they bring. `hold`: judge them by their evidence again. The others: ignore a parameter or not. */
  readonly action: 'release' | 'hold' | 'keep-parameter' | 'ignore-parameter'
  /** A pattern, a slot of a parameter, or a host with all of its patterns. */
  readonly target: string
}

/** A page among near-duplicates. */
export interface NearPage {
  readonly url: string
  /** The SimHash of the representative, 16 hex digits. */
  readonly cluster: string
  /** Whether it is the representative of its cluster. */
  readonly kept: boolean
}
