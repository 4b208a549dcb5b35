import { Command, Option } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import {
  addDirectoryOptions,
  addSegmentsOption,
  type CrawlFlags,
  openOptions,
  type SegmentsFlag,
  segmentsConfig,
} from './crawl-flags.ts'
import { crawlReport, isDone, isIdle, runWithProgress } from './crawl-report.ts'
import { addEngineOptions, type EngineFlags, engineConfig } from './engine-flags.ts'
import { NOTHING_FETCHED, nothingFetched, nothingFetchedText } from './failure-report.ts'
import { addFetchOptions, type FetchFlags, fetchConfig, fetchRunOptions } from './fetch-flags.ts'
import { addForgetOption, FlagMemory, type FlagPolicy, SHAPING_FLAGS } from './flag-memory.ts'
import { addOptionGroup, helpNotes } from './help-notes.ts'
import { indexJson } from './index-report.ts'
import { injectReport, isNothingInjected, rejectedSeedsText } from './inject-report.ts'
import { addListOptions, fetchListOptions, LIST_FLAGS, type ListFlags } from './list-flags.ts'
import { addLogOptions, type LogFlags } from './log-flags.ts'
import { addNotifyOptions, commandNotifier, type NotifyFlags, notifyConfig } from './notify-flags.ts'
import { collected, positiveNumber, wholeNumber } from './option-values.ts'
import { couldFetchNothing } from './outcome-report.ts'
import { resumeLine } from './resume-command.ts'
import { addServeOption, openDashboard, type ServeRunFlags } from './serve-flags.ts'

interface CrawlCommandFlags
  extends CrawlFlags,
    EngineFlags,
    FetchFlags,
    ListFlags,
    ServeRunFlags,
    LogFlags,
    NotifyFlags,
    SegmentsFlag {
  readonly rounds?: number
  readonly maxPages?: number
  readonly depth?: number
  readonly scope?: 'host' | 'domain' | 'any'
  readonly sitemaps?: boolean
  readonly llmsTxt?: boolean
  readonly index?: boolean
  readonly indexTo?: readonly string[]
  readonly indexEvery?: number
}

const HELP = `
Injects the seeds, then fetches due URLs in rounds until no URL is due or a limit is reached. Rounds overlap, so that a slow host does
not delay the others. Ctrl-C stops the crawl; the same command resumes it. A later run fetches only the URLs that are due then.

With --index, links are inverted, duplicates are marked and the search index is updated after each round. With --index-every, pages are
also sent while a round runs: to publish them as they are fetched, use --index-to redis-stream:redis://host:6379/0?stream=pages.

Examples:
  orbweaver crawl crawl https://example.org/ --index
  orbweaver crawl crawl seeds.txt --scope domain --max-pages 1000 --depth 3
  orbweaver crawl crawl`

export function crawlCommand(context: CommandContext): Command {
  const { terminal, exitWith, args } = context
  const command = new Command('crawl')
    .description('Crawl from seeds, round by round, until no URL is due')
    .argument('<dir>', 'Crawl directory; created on first use')
    .argument('[seeds...]', 'URLs, files, directories of files, or - for standard input')
    .addOption(
      new Option(
        '--scope <scope>',
        'Follow links to the hosts of the seeds, to their domains, or to any host (default: host)',
      ).choices(['host', 'domain', 'any']),
    )
    .option('--sitemaps', 'Also fetch the sitemaps of each host, every day, and follow their entries')
    .option('--llms-txt', 'Also fetch /llms.txt of each host, and follow its links')
    .option('--index', 'Update a search index after each round (see orbweaver index --help)')
    .option(
      '--index-to <index>',
      'Index to update; repeatable (default: sqlite, in the crawl directory)',
      collected,
    )
    .option(
      '--index-every <seconds>',
      'Also update it within rounds, this many seconds after the last update (default: only after rounds)',
      positiveNumber,
    )
  addOptionGroup(command, 'Limits', (group) =>
    group
      .option('--max-pages <n>', 'Maximum number of fetched pages (default: none)', positiveNumber)
      .option('--depth <n>', 'Maximum number of links between a seed and a page (default: none)', wholeNumber)
      .option('--rounds <n>', 'Maximum number of rounds (default: none)', positiveNumber),
  )
  addServeOption(command)
  let memory: FlagMemory
  command.hook('preAction', async () => {
    memory = new FlagMemory(command, args(), CRAWL_FLAGS)
    await memory.recall(String(command.processedArgs[0]), terminal)
  })
  addNotifyOptions(
    addLogOptions(
      addEngineOptions(addSegmentsOption(addDirectoryOptions(addFetchOptions(addListOptions(command))))),
    ),
  )
  return addForgetOption(command)
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'no URL was due',
          3: 'failure, no page could be fetched, or interruption; run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (dir: string, seeds: string[], flags: CrawlCommandFlags) => {
      const { rounds, index, indexTo, indexEvery } = flags
      if (indexEvery !== undefined && indexTo === undefined && index !== true)
        throw new ConfigurationError('OPTION_INVALID', '--index-every needs --index or --index-to')
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      const notifier = await commandNotifier(dir, flags, context)
      await using dashboard = await openDashboard(flags, terminal, { name: dir, dir })
      await using crawl = await openCrawl(dir, {
        ...openOptions(flags, 'crawl', terminal, {
          ...crawlConfig(flags),
          ...notifyConfig(flags),
          ...engineConfig(flags),
        }),
        create: seeds.length > 0,
        // Their flags are set: see FlagMemory.
        rememberedSettings: false,
      })
      const settings = shapingConfig(flags)
      await memory.store(dir, settings)
      const { input, interrupted: signal } = terminal
      const injected = seeds.length > 0 ? await crawl.inject({ files: seeds, input }, { signal }) : undefined
      if (injected !== undefined) terminal.err(injectReport(dir, injected))
      const result = await runWithProgress(crawl, terminal, {
        ...fetchRunOptions(flags),
        ...fetchListOptions(flags),
        ...withoutUndefined({ rounds, index: indexTo ?? index, indexEverySeconds: indexEvery }),
        watchers: [...dashboard.watchers, notifier],
      })
      const isInterrupted = result.ended === 'interrupted'
      await memory.end(dir, settings, { isInterrupted, pages: result.pages, items: 0 })
      const resume = resumeLine(terminal, ['crawl', dir], memory.flagsToRepeat(isInterrupted))
      const isFailed = !isInterrupted && couldFetchNothing(result.pages, result)
      const { index: indexed, ...crawled } = result
      const document = {
        ...crawled,
        ...(indexed !== undefined && { index: indexJson(indexed) }),
        ...(!isDone(result) && { resume: resume.line }),
        ...(isFailed && nothingFetched(result.failures)),
        ...(injected !== undefined && { seeds: injected }),
      }
      notifier.setResult(result.ended, document)
      const isWithoutSeeds = injected !== undefined && isNothingInjected(injected) && isIdle(result)
      const report = isWithoutSeeds ? rejectedSeedsText(injected) : crawlReport(dir, result, resume)
      terminal.out(flags.json ? formatJson(document) : report)
      if (isFailed) terminal.fail(NOTHING_FETCHED, nothingFetchedText(result.failures))
      if (isFailed || isInterrupted || indexed?.some(({ ended }) => ended !== 'done')) exitWith(EXIT.failed)
      else if (isIdle(result)) exitWith(EXIT.nothing)
    })
}

/** What the crawl directory remembers of the command. */
const CRAWL_FLAGS: FlagPolicy = {
  command: 'crawl',
  shaping: new Set([
    ...SHAPING_FLAGS,
    ...LIST_FLAGS,
    '--scope',
    '--sitemaps',
    '--llms-txt',
    '--index',
    '--index-to',
    '--index-every',
    '--depth',
    '--retries',
    '--segments',
  ]),
  limits: new Set(['--max-pages', '--max-time', '--rounds', '--min-pages-per-second']),
}

/** The settings of the flags without the limits of one run. */
function shapingConfig({ maxPages: _, ...flags }: CrawlCommandFlags): OrbweaverConfig {
  return crawlConfig(flags)
}

/** The settings of the flags, without those of notifications, the engine and the log. */
export function crawlConfig(flags: CrawlCommandFlags): OrbweaverConfig {
  const config = fetchConfig(flags)
  const { scope, depth, maxPages, llmsTxt, sitemaps } = flags
  return {
    ...config,
    ...segmentsConfig(flags),
    filters: { ...config.filters, ...withoutUndefined({ scope, maxDepth: depth }) },
    ...((llmsTxt || sitemaps) && { links: { ...config.links, ...withoutUndefined({ llmsTxt, sitemaps }) } }),
    limits: { ...config.limits, ...withoutUndefined({ maxPages }) },
  }
}
