import type { DropCounts } from '../../base/drop-counts.ts'
import type { JudgeUrl } from './judge-url.ts'
import type { UpdateRules } from './update-record.ts'

export interface UpdateRequest {
  /** Names of segments; what each of them got since it was last folded is folded. */
  readonly segments: readonly string[]
  readonly rules: UpdateRules
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Judges every URL, known ones too: what it rejects is removed, what it rewrites is moved. @default all pass */
  readonly judge?: JudgeUrl
  /** Forgets gone pages. @default false */
  readonly purgeGone?: boolean
  /** Forgets orphans. @default false */
  readonly purgeOrphans?: boolean
  /** Links to one URL that count in one update; those with the highest scores. @default 10000 */
  readonly maxInlinks?: number
  /** Folds parts that were folded before once more: their links count twice, their visits do not. @default false */
  readonly force?: boolean
}

export interface UpdateResult {
  /** Visits folded in; one that was folded in before it was parsed is told of again when its parse is. */
  readonly fetched: number
  /** Links folded in. */
  readonly links: number
  readonly added: number
  /** Known URLs that were visited or linked. */
  readonly changed: number
  /** Removed: gone, orphaned, or rejected. */
  readonly purged: number
  /** Parts of segments that were folded. */
  readonly parts: number
  /** Hosts that must wait, for longer than was known. */
  readonly hostsPutOff: number
  /** By segment: URLs of its fetch list that have no result yet. They stay marked. */
  readonly pending: Readonly<Record<string, number>>
  /** Links, redirect targets, bodies and texts that the visits dropped, by reason. */
  readonly dropped: DropCounts
}
