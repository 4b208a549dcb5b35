import type { CrawlDirectory } from '../adapters/duckdb/open-crawl-directory.ts'
import type { RunWatcher } from './run-watcher.ts'

/** Shows a run to other processes that open its crawl directory, through the control socket. */
export function showLive(directory: Pick<CrawlDirectory, 'showLive'>): RunWatcher {
  return {
    started: (live) => directory.showLive(live),
    ended: () => directory.showLive(undefined),
  }
}
