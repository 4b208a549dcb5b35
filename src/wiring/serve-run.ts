import { setTimeout } from 'node:timers/promises'
import type { Listening } from '../adapters/serve/listen.ts'
import type { ServedEntry } from '../adapters/serve/serve-ports.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { LiveCrawl } from '../domain/live/live-crawl.ts'
import type { RunWatcher } from './run-watcher.ts'
import { type OpenServedDirectory, openServedDirectory } from './serve-crawl.ts'
import { type ServeOptions, serveEntries, uniqueIds } from './serve-crawls.ts'

export interface ServeRunOptions extends ServeOptions {
  /** Name of the spider, if there is no directory. */
  readonly name: string
  /** The crawl directory. Absent: it is temporary, and the page shows only the running crawl. */
  readonly dir?: string
  /** Path of the configuration file. */
  readonly config?: string
}

/** The server of a crawl in this process. */
export interface RunServer extends Listening {
  readonly token?: string
  /** To be given to the run. */
  readonly watcher: RunWatcher
}

/** Starts the server before the crawl, so that a port that is in use stops nothing. @throws ConfigurationError */
export async function serveRun(options: ServeRunOptions): Promise<RunServer> {
  const { name, dir, config } = options
  const [id = name] = uniqueIds([dir ?? name])
  let live: LiveCrawl | undefined
  let opened: OpenServedDirectory | undefined
  const ended = Promise.withResolvers<void>()
  // The directory is opened when the run has created it.
  const entry: { -readonly [Key in keyof ServedEntry]: ServedEntry[Key] } = {
    ...{ id, name: dir ?? name },
    live: { find: async () => live, ended: ended.promise },
  }
  const server = await serveEntries([entry], options)
  return {
    ...server,
    watcher: {
      async started(running) {
        live = running
        if (dir === undefined) return
        opened = await openServedDirectory(dir, {
          ...{ id, memory: MEMORY_MB },
          ...withoutUndefined({ config }),
        })
        const { crawl, search, hasIndex, changedAt } = opened.entry
        Object.assign(entry, { crawl, search, ...withoutUndefined({ hasIndex, changedAt }) })
      },
      ended: () => ended.resolve(),
    },
    async close() {
      // Pages get the last report before the connections are closed.
      if (live !== undefined) await setTimeout(LAST_REPORT_MS)
      await server.close()
      await opened?.close()
    },
  }
}

/** A report is made in a few milliseconds. */
const LAST_REPORT_MS = 50

/** The page must not take the memory of the crawl. */
const MEMORY_MB = 128
