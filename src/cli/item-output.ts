import { type FeedTarget, parseFeedTarget } from '../adapters/feeds/feed-target.ts'
import type { FeedResult } from '../adapters/feeds/item-feeds.ts'
import type { FeedOutput } from '../adapters/feeds/output-feed.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { printableLine } from './format-values.ts'
import type { Terminal } from './terminal.ts'

/**
 * Whether items go to the standard output, where reports go otherwise.
 * @throws ConfigurationError about a target that cannot be used, or when the document of `--json` is to go there too
 */
export function itemsToOutput(targets: readonly FeedTarget[], json: boolean): boolean {
  const toOutput = targets.map(parseFeedTarget).some(({ kind }) => kind === 'output')
  if (toOutput && json)
    throw new ConfigurationError(
      'OPTION_INVALID',
      'items and the document of --json cannot both go to the standard output: let the items go to a file (--out items.jsonl)',
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

/** What became of exports, for programs. */
export function feedDocument(feeds: readonly FeedResult[]) {
  return feeds.map(({ target, error }) => ({ target, error: error?.message ?? null }))
}

/** The same for people. */
export function feedText({ target, error }: FeedResult, what: string): string {
  return error === undefined
    ? `${what} written to ${target}`
    : `incomplete: ${target} (${printableLine(error.message)})`
}
