import type { NoveltyLimits, NoveltyRule } from './novelty-budget.ts'

/** The rules of `novelty` in the configuration. */
export interface NoveltyRules {
  readonly limits: NoveltyLimits
  /** Replaces the budget of `limits`. */
  readonly rule?: NoveltyRule
  /** Whether parameters without which pages have the same words are ignored. */
  readonly ignoreParameters: boolean
}
