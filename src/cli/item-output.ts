import { type FeedTarget, parseFeedTarget } from '../adapters/feeds/feed-target.ts'
import type { FeedResult } from '../adapters/feeds/item-feeds.ts'
import type { FeedOutput } from '../adapters/feeds/output-feed.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { printableLine } from '../base/format-values.ts'
import type { Terminal } from './terminal.ts'

/**
 * Whether items go to standard output; then the report goes to standard error.
 * @throws ConfigurationError for an invalid target, and if `--json` uses standard output, too
 */
export function itemsToOutput(targets: readonly FeedTarget[], json: boolean): boolean {
  const toOutput = targets.map(parseFeedTarget).some(({ kind }) => kind === 'output')
  if (toOutput && json)
    throw new ConfigurationError(
      'OPTION_INVALID',
      '--json and items cannot both use standard output: write the items to a file (--out items.jsonl)',
    )
  return toOutput
}

/** For the target `-`. */
export function terminalOutput(terminal: Terminal): FeedOutput {
  return (text) => {
    terminal.out(text)
    return terminal.outRoom()
  }
}

/** The results of exports, for `--json`. */
export function feedDocument(feeds: readonly FeedResult[]) {
  return feeds.map(({ target, error }) => ({ target, error: error?.message ?? null }))
}

/** The result of an export in one line. */
export function feedText({ target, error }: FeedResult, what: string): string {
  return error === undefined
    ? `${what} written to ${target}`
    : `incomplete: ${target} (${printableLine(error.message, 2_000)})`
}
