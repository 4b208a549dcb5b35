import type { JsonObject } from '../../base/json.ts'

/** The items of a crawl in the order they were stored; feed exports read it. */
export interface ItemLog {
  /** At most `limit` items after `position` (0: from the first), oldest first. */
  items(position: number, limit: number): Promise<readonly LoggedItem[]>
  rejected(position: number, limit: number): Promise<readonly LoggedRejection[]>
}

/** A stored item of a spider. */
export interface LoggedItem {
  /** Larger than that of every item before it. */
  readonly position: number
  /** The page it came from. */
  readonly url: string
  readonly item: JsonObject
}

export interface LoggedRejection extends LoggedItem {
  readonly reason: string
}

/**
 * Writes rows as one table file. The file gets its name when it is complete, and replaces a file of that name.
 * @param rows JSON objects without line breaks, in batches
 * @returns the number of rows; without rows no file is written
 */
export type TableWriter = (file: string, rows: AsyncIterable<readonly string[]>) => Promise<number>
