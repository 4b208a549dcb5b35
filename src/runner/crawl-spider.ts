import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { steadyClock } from '../base/clock.ts'
import { buildRules } from '../config/build-rules.ts'
import { type CrawlDirectory, openCrawlDirectory } from '../duckdb/open-crawl-directory.ts'
import type { AnySpider } from '../spider/spider-definition.ts'
import type { CrawlSpiderOptions, CrawlSpiderResult } from './crawl-options.ts'
import { runSpider } from './run-spider.ts'
import type { Spider } from './spider.ts'
import { spiderSettings } from './spider-settings.ts'
import { embeddedStores } from './spider-stores.ts'

/**
 * Runs a spider. Any number may run at once, each for itself.
 * @throws ConfigurationError, TooManyHandlerErrors, CrawlDirectoryLocked; never for what a server or a handler does
 */
export async function crawl<Input, Output, Names extends string>(
  spider: Spider<Input, Output, Names>,
  options: CrawlSpiderOptions = {},
): Promise<CrawlSpiderResult> {
  // The engine calls each handler with the page it was written for; the types of its items and handlers end here.
  const any = spider as unknown as Spider<unknown, unknown, string> & AnySpider
  const limited = { ...any, limits: { ...any.limits, ...options.limits } }
  const temporary = options.dir === undefined ? await mkdtemp(join(tmpdir(), 'orbweaver-')) : undefined
  const dir = options.dir ?? temporary ?? ''
  try {
    const settings = await spiderSettings({
      settings: options.settings,
      own: any.settings,
      dir,
      config: options.config,
    })
    const directory = await openCrawlDirectory(dir, {
      command: `run ${spider.name}`,
      force: options.force ?? false,
      memoryMb: settings.memoryMb ?? SPIDER_MEMORY_MB,
      clock: steadyClock,
    })
    return await closing(directory, async () => {
      const rules = buildRules(settings, { clock: steadyClock })
      const stores = await embeddedStores(directory, limited, settings, rules, temporary === undefined)
      return runSpider(limited, stores, settings, rules, options)
    })
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
  }
}

/** What the database needs for millions of requests. */
const SPIDER_MEMORY_MB = 128

async function closing<T>(directory: CrawlDirectory, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await directory.close()
  }
}
