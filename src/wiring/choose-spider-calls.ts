import { fileURLToPath } from 'node:url'
import { isMainThread, workerData } from 'node:worker_threads'
import type { Rules } from '../adapters/config/build-rules.ts'
import type { Settings } from '../adapters/config/config-schema.ts'
import type { Clock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { LocalCalls } from '../flows/spider/local-calls.ts'
import type { SpiderCalls } from '../flows/spider/spider-calls.ts'
import type { AnySpider } from '../flows/spider/spider-definition.ts'
import { handlerMs, TimeLimit } from '../flows/spider/time-limit.ts'
import type { ThreadData } from './call-messages.ts'
import { IsolatedCalls } from './isolated-calls.ts'
import type { RunSpiderOptions } from './run-spider-options.ts'

/** How the functions of a spider are called: in this thread, or in one of their own. */
export function spiderCalls(
  spider: AnySpider,
  clock: Clock,
  settings: Settings,
  { normalize }: Pick<Rules, 'normalize'>,
  options: RunSpiderOptions,
): SpiderCalls {
  const { limits = {} } = spider
  const { module, args = {} } = options
  const limitMs = handlerMs(limits)
  if (!isIsolated(spider, options) || module === undefined)
    return new LocalCalls(spider, normalize, new TimeLimit(clock, limitMs))
  return new IsolatedCalls(clock, spider, {
    ...{ args, limitMs, normalizer: settings.normalizer, memoryMb: limits.handlerMemoryMb ?? 512 },
    file: String(module).startsWith('file:') ? fileURLToPath(module) : String(module),
  })
}

/**
 * Whether the spider can be run as it is meant to be.
 * @throws ConfigurationError when it is to be isolated, and its functions cannot be loaded in another thread
 */
export function checkIsolation(spider: AnySpider, options: RunSpiderOptions): void {
  if (isIsolated(spider, options) && options.module === undefined)
    throw new ConfigurationError(
      'SPIDER_INVALID',
      `spider ${spider.name}: an isolated spider is loaded again, in a thread: put it into a file of its own as the default export, and name that file with module, as in runSpider(spider, { isolated: true, module: new URL('./my-spider.ts', import.meta.url) })`,
    )
  // A module that starts a crawl as it is loaded would start another one in each thread, for ever.
  if (!isMainThread && isThreadData(workerData))
    throw new ConfigurationError(
      'SPIDER_INVALID',
      'runSpider() is called by the file that the functions of an isolated spider are loaded from: put the spider into a file of its own, and call runSpider() in another one',
    )
}

function isIsolated(spider: AnySpider, { isolated = spider.isolated ?? false }: RunSpiderOptions): boolean {
  return isolated
}

function isThreadData(data: unknown): data is ThreadData {
  return typeof data === 'object' && data !== null && 'marks' in data && 'normalizer' in data
}
