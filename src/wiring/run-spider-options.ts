import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { FeedTarget } from '../adapters/feeds/feed-target.ts'
import type { FeedResult } from '../adapters/feeds/item-feeds.ts'
import type { FeedOutput } from '../adapters/feeds/output-feed.ts'
import type { FleetCounts } from '../domain/frontier/fleet.ts'
import type { Pending } from '../domain/frontier/frontier.ts'
import type { SpiderLimits } from '../flows/spider/spider-definition.ts'
import type { SpiderEnd } from '../flows/spider/spider-end.ts'
import type { SpiderProgress } from '../flows/spider/spider-engine.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import type { SpiderArguments } from './load-spider-file.ts'

export interface RunSpiderOptions extends SpiderLimits {
  /** The crawl directory: a crawl that was interrupted goes on there. @default a temporary one, removed at the end */
  readonly dir?: string
  /**
   * A Redis, as `redis://host/0`, `rediss://…`, `redis+cluster://a,b` or `redis+sentinel://a,b/master`; `true`: that of the settings. All processes that
   * run the spider with it work on one crawl, and items go to its list `<name>:items`. @default the crawl is this process's own
   */
  readonly redis?: string | true
  /** With `dir`: keep the pages too, as segments, so that they can be indexed, searched and exported. @default false: only what handlers yield */
  readonly keepPages?: boolean
  /** With `redis`: go on when all is done, for start URLs that others may push. @default only for `redis.idleSeconds` */
  readonly wait?: boolean
  /** Where items go, beside what the spider says. */
  readonly out?: FeedTarget | readonly FeedTarget[]
  /** Replace files that are there and were not written by this crawl. @default only without `dir` */
  readonly overwrite?: boolean
  /** Over those of the spider, the environment and the configuration file. */
  readonly settings?: OrbweaverConfig
  /** A configuration file. @default orbweaver.config.json in or above the crawl directory, or orbweaver.config.* in the current one */
  readonly config?: string
  /** Over that of the spider: run its functions in a thread of their own. Needs `module`. */
  readonly isolated?: boolean
  /** With `isolated`: the file whose default export is the spider, or a function that returns it. It is loaded in the thread. */
  readonly module?: string | URL
  /** With `isolated`: the arguments of that function. @default none */
  readonly args?: SpiderArguments
  /** A folder of answers: what is in it is not asked again. For work on a spider. */
  readonly cache?: string
  /** Override the lock held by another process. @default false */
  readonly force?: boolean
  /** Ends the crawl: what is under way is finished, and the next run goes on. */
  readonly signal?: AbortSignal
  /** For the target `-`. @default the standard output */
  readonly output?: FeedOutput
  /** Called every second. */
  readonly onProgress?: (progress: SpiderProgress) => void
  /** Told what a person should know: handlers that failed, exports that cannot be written. @default nobody */
  readonly onMessage?: (message: string) => void
}

export interface SpiderResult {
  readonly ended: SpiderEnd
  /** With `redis`: the name of the crawl there. */
  readonly crawl?: string
  /** With `redis`, when the crawl is finished: its figures over all workers. */
  readonly fleet?: FleetCounts
  readonly stats: SpiderStats
  /** What is left for the next run. */
  readonly pending: Pending
  /** Number of sites whose robots.txt returned 401 or 403: allowed, unless the setting `robots.denyOnForbidden` says otherwise. */
  readonly robotsForbidden: number
  /** What became of each export. */
  readonly feeds: readonly FeedResult[]
}
