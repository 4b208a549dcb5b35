import { fileURLToPath } from 'node:url'
import { isMainThread, workerData } from 'node:worker_threads'
import type { Rules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import { hasRewrites } from '../adapters/config/url-normalizer.ts'
import type { Clock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { KnownRequests } from '../flows/spider/known-requests.ts'
import { LocalCalls } from '../flows/spider/local-calls.ts'
import type { SpiderCalls } from '../flows/spider/spider-calls.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import { handlerMs, TimeLimit } from '../flows/spider/time-limit.ts'
import type { ThreadData } from './call-messages.ts'
import { isThreadCount } from './define-spider.ts'
import { IsolatedCalls } from './isolated-calls.ts'
import type { RunSpiderOptions } from './run-spider-options.ts'
import { ThreadedCalls } from './threaded-calls.ts'

/**
 * Calls the functions of a spider in this thread, or in others.
 * @param known requests that threads leave out. @default none
 */
export function spiderCalls(
  spider: AnySpider,
  clock: Clock,
  settings: Settings,
  { normalize }: Pick<Rules, 'normalize'>,
  options: RunSpiderOptions,
  known?: KnownRequests,
): SpiderCalls {
  const { limits = {} } = spider
  const { module, args = {} } = options
  const limitMs = handlerMs(limits)
  const threads = handlerThreads(spider, options)
  if (threads === 0 || module === undefined)
    return new LocalCalls(spider, normalize, new TimeLimit(clock, limitMs))
  // Rules that rewrite URLs apply when a request is queued; functions cannot be sent to a thread.
  const { custom: _, ...normalizer } = settings.normalizer
  const thread = () =>
    new IsolatedCalls(clock, spider, {
      ...{ args, limitMs, normalizer, memoryMb: limits.handlerMemoryMb ?? 512 },
      // A thread that does not rewrite URLs cannot tell which are known.
      ...(known !== undefined && !hasRewrites(settings.normalizer) && { known: known.memory }),
      file: String(module).startsWith('file:') ? fileURLToPath(module) : String(module),
    })
  return threads === 1
    ? thread()
    : new ThreadedCalls(thread(), ...Array.from({ length: threads - 1 }, thread))
}

/**
 * Checks that an isolated spider can be loaded in another thread.
 * @throws ConfigurationError if not
 */
export function checkIsolation(spider: AnySpider, options: RunSpiderOptions): void {
  if (handlerThreads(spider, options) > 0 && options.module === undefined)
    throw new ConfigurationError(
      'SPIDER_INVALID',
      `spider ${spider.name}: an isolated spider is loaded again, in a thread: put it into a file of its own as the default export, and name that file with module, as in runSpider(spider, { isolated: true, module: new URL('./my-spider.ts', import.meta.url) })`,
    )
  // A module that starts a crawl when it is loaded would start another one in each thread, without end.
  if (!isMainThread && isThreadData(workerData))
    throw new ConfigurationError(
      'SPIDER_INVALID',
      'runSpider() is called by the file that the functions of an isolated spider are loaded from: put the spider into a file of its own, and call runSpider() in another one',
    )
}

/** Number of threads for the functions of a spider; 0: they run in the main thread. */
function handlerThreads(spider: AnySpider, options: RunSpiderOptions): number {
  const { isolated = spider.isolated, handlerThreads: threads = spider.handlerThreads } = options
  if (threads !== undefined && !isThreadCount(threads))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `handlerThreads is ${JSON.stringify(threads)}; give a whole number of at least 1`,
    )
  return isolated === false ? 0 : (threads ?? (isolated === true ? 1 : 0))
}

function isThreadData(data: unknown): data is ThreadData {
  return typeof data === 'object' && data !== null && 'marks' in data && 'normalizer' in data
}
