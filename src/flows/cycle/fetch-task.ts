import { withoutUndefined } from '../../base/without-undefined.ts'
import type { Validators } from '../../domain/fetch/fetcher.ts'
import type { Standing } from '../../domain/scoring/scoring.ts'
import type { FetchListEntry } from '../../domain/segment/segment-rows.ts'

/** A URL from a fetch list or a redirect that is being fetched. */
export interface FetchTask extends Standing {
  readonly url: string
  /** The rank in the fetch list; a redirect target has the rank of the redirecting page. */
  readonly priority: number
  readonly validators?: Validators
  /** The URL that redirected here. */
  readonly from?: string
  /** Every URL that led here by redirects, the one on the list first. */
  readonly chain: readonly string[]
  /** Whether the URL is on the fetch list, so that it must get a row; `false` for other redirect targets. */
  listed: boolean
}

/** A URL to fetch: an entry of the fetch list, or in a fleet a redirect target. */
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

/** The task for the redirect target of `task`. It is the same page under another URL, so its score and metadata are the same. */
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
