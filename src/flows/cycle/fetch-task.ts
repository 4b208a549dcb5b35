import { withoutUndefined } from '../../base/without-undefined.ts'
import type { Validators } from '../../domain/fetch/fetcher.ts'
import type { Standing } from '../../domain/scoring/scoring.ts'
import type { FetchListEntry } from '../../domain/segment/segment-rows.ts'

/** One URL on its way from the fetch list, or from a redirect, to its row. */
export interface FetchTask extends Standing {
  readonly url: string
  /** The rank in the fetch list; a redirect target has that of the page that sent us there. */
  readonly priority: number
  readonly validators?: Validators
  /** The URL that redirected here. */
  readonly from?: string
  /** Every URL that led here by redirects, the one on the list first. */
  readonly chain: readonly string[]
  /** Whether the fetch list owes it a row: true for all but redirect targets that are not on the list themselves. */
  listed: boolean
}

/** A URL to fetch: an entry of the fetch list, or where redirects led that are followed in a fleet. */
export interface TaskEntry extends FetchListEntry {
  /** Every URL that led here by redirects, the one on the list first. @default none: it is on the list itself */
  readonly redirectedFrom?: readonly string[]
}

export function fetchTask(entry: TaskEntry): FetchTask {
  const { url, sortValue, score, validators, metadata, redirectedFrom = [] } = entry
  const from = redirectedFrom.at(-1)
  return {
    url,
    priority: sortValue,
    score,
    metadata,
    ...withoutUndefined({ validators, from }),
    chain: redirectedFrom,
    listed: true,
  }
}

/** The task for where `task` was redirected: the same page under another name, so with the same standing. */
export function redirectTask(task: FetchTask, url: string): FetchTask {
  const { priority, score, metadata } = task
  return {
    url,
    priority,
    score,
    metadata,
    from: task.url,
    chain: [...task.chain, task.url],
    listed: false,
  }
}
