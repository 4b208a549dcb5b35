import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { FeedTarget } from '../adapters/feeds/feed-target.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { SpiderLimits } from '../flows/spider/spider-definition.ts'
import type { SpiderStats } from '../flows/spider/spider-stats.ts'
import type { Spider } from '../wiring/define-spider.ts'
import { redisArgument } from '../wiring/redis-access.ts'
import type { SpiderResult } from '../wiring/run-spider-options.ts'
import { OptionalValueOption } from './arrange-arguments.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT, type ExitCode } from './command-context.ts'
import { addDirectoryOptions, type CrawlFlags } from './crawl-flags.ts'
import { NOTHING_FETCHED, nothingFetched, nothingFetchedText } from './failure-report.ts'
import { addThreadOptions } from './fetch-flags.ts'
import { addForgetOption, FlagMemory, type FlagPolicy, SHAPING_FLAGS } from './flag-memory.ts'
import { addOptionGroup, helpNotes } from './help-notes.ts'
import { itemsToOutput, terminalOutput } from './item-output.ts'
import { addLogOptions, type LogFlags, logConfig } from './log-flags.ts'
import { addMetricsOptions, type MetricsFlags, metricsConfig } from './metrics-flags.ts'
import { addNotifyOptions, commandNotifier, type NotifyFlags, notifyConfig } from './notify-flags.ts'
import { collected, positiveNumber, someNumber, wholeNumber } from './option-values.ts'
import { redisOption, shardsOption } from './redis-flags.ts'
import { resumeLine } from './resume-command.ts'
import { addServeOption, openDashboard, type ServeRunFlags } from './serve-flags.ts'
import { isFleetFinished, isNothingDone, spiderDocument, spiderReport } from './spider-report.ts'
import { SpiderStatusLine } from './spider-status-line.ts'
import { addRenderOption, addWebOptions, type WebFlags, webConfig } from './web-flags.ts'

interface RunFlags extends CrawlFlags, WebFlags, LogFlags, MetricsFlags, ServeRunFlags, NotifyFlags {
  readonly dir?: string
  readonly redis?: string | true
  readonly job?: string
  readonly shards?: number
  readonly wait: boolean
  readonly arg?: Readonly<Record<string, string>>
  readonly out?: readonly string[]
  readonly maxPages?: number
  readonly maxItems?: number
  readonly depth?: number
  readonly maxTime?: number
  readonly threads?: number
  readonly threadsPerHost?: number
  readonly minDelay?: number
  readonly keepPages: boolean
  readonly files?: string
  readonly isolated: boolean
  readonly handlerThreads?: number
  readonly cache?: string | true
  readonly overwrite: boolean
}

const HELP = `
A spider is a TypeScript or JavaScript file whose default export is spider({ … }); "orbweaver new spider <name>" creates one. Items are written to
--out and to the targets in the spider. With --dir the crawl is kept: after an interruption, the same command resumes it, and no item is
written twice. Without --dir, the crawl is deleted at the end.

Examples:
  orbweaver run quotes.ts --out quotes.jsonl
  orbweaver run shop.ts --dir crawl --out items.parquet --out items.csv --arg category=books
  orbweaver run shop.ts --cache --max-pages 20 --out -
  orbweaver run shop.ts --redis redis://queue.example.org/0`

export function runCommand(context: CommandContext): Command {
  const { terminal, exitWith, args } = context
  const command = new Command('run')
    .argument('<file>', 'Spider file')
    .option(
      '--out <target>',
      'Output for items: a file or an object in s3:// (.jsonl .json .csv .parquet), or - for standard output; repeatable',
      collected,
    )
    .option('--overwrite', 'Replace existing files that were not written by this crawl', false)
    .option('--arg <name=value>', 'Argument for the spider; repeatable', namedValue)
    .option('--dir <dir>', 'Crawl directory; created if missing (default: a temporary one)')
    .option(
      '--files <place>',
      'Where downloaded files are stored: a folder or s3://bucket/prefix (default: <dir>/files)',
    )
    .option('--keep-pages', 'With --dir: keep the pages, too, for index, search and export', false)
    .addOption(
      new OptionalValueOption(
        '--cache [folder]',
        'Store responses, and use stored ones instead of requests (default folder: .orbweaver-cache)',
        (word) => !/\.[cm]?[jt]s$/.test(word),
      ),
    )
    .option(
      '--isolated',
      'Run handlers, hooks and pipelines in a separate thread; one that hangs or runs out of memory fails only its page (default: as the spider sets it)',
      false,
    )
    .option(
      '--handler-threads <n>',
      'Number of such threads, each with its own module state and pipelines; implies --isolated (default: as the spider sets it, or 1)',
      positiveNumber,
    )
  addServeOption(command)
  addOptionGroup(command, 'Fleet', (group) =>
    group
      .addOption(redisOption('Share the crawl with all workers that use the same Redis'))
      .option('--job <name>', 'With --redis: name of the crawl (default: the name of the spider)')
      .addOption(shardsOption())
      .option('--wait', 'With --redis: when the queue is empty, wait for more start URLs', false),
  )
  addOptionGroup(command, 'Limits', (group) =>
    group
      .option(
        '--max-pages <n>',
        'Maximum number of handled pages, by all workers (default: none)',
        positiveNumber,
      )
      .option('--max-items <n>', 'Stop after this number of items (default: none)', positiveNumber)
      .option(
        '--depth <n>',
        'Maximum number of links between a start page and a page (default: none)',
        wholeNumber,
      )
      .option('--max-time <minutes>', 'Stop after this time (default: none)', someNumber),
  )
  let memory: FlagMemory
  command.hook('preAction', async () => {
    memory = new FlagMemory(command, args(), RUN_FLAGS)
    const { dir } = command.opts<RunFlags>()
    if (dir !== undefined) await memory.recall(dir, terminal, basename(String(command.processedArgs[0])))
  })
  return addForgetOption(
    addNotifyOptions(
      addLogOptions(
        addMetricsOptions(addDirectoryOptions(addThreadOptions(addRenderOption(addWebOptions(command))))),
      ),
    ),
  )
    .addHelpText(
      'after',
      helpNotes(
        {
          0: 'success, or the crawl in Redis is finished or draining',
          1: 'no requests to fetch',
          3: 'no page could be fetched, every handler failed, an export is incomplete, other failure, or interruption; with --dir or --redis, run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (file: string, flags: RunFlags) => {
      const { loadSpiderFile } = await import('../wiring/load-spider-file.ts')
      const { runSpider } = await import('../wiring/run-spider.ts')
      if (flags.redis === undefined && (flags.wait || (flags.job ?? flags.shards) !== undefined))
        throw new ConfigurationError(
          'OPTION_INVALID',
          '--wait, --job and --shards are for a crawl in Redis: give --redis, too',
        )
      const spider = await loadSpiderFile(file, flags.arg ?? {})
      const toOutput = itemsToOutput([...(flags.out ?? []), ...ownTargets(spider)], flags.json)
      const line = new SpiderStatusLine(terminal)
      const notifier = await commandNotifier(spider.name, flags, context)
      await using dashboard = await openDashboard(flags, terminal, {
        name: spider.name,
        ...withoutUndefined({ dir: flags.dir }),
      })
      const settings = webSettings(flags)
      const remembered = basename(file)
      const result = await runSpider(spider, {
        watchers: [...dashboard.watchers, line.watcher, notifier],
        ...withoutUndefined({ dir: flags.dir, files: flags.files }),
        ...(flags.keepPages && { keepPages: true }),
        ...(flags.redis !== undefined && { redis: flags.redis, wait: flags.wait }),
        ...withoutUndefined({ out: flags.out, config: flags.config }),
        ...(flags.cache !== undefined && { cache: flags.cache === true ? CACHE_FOLDER : flags.cache }),
        ...((flags.isolated || flags.handlerThreads !== undefined) && { isolated: true }),
        ...withoutUndefined({ handlerThreads: flags.handlerThreads }),
        module: pathToFileURL(resolve(file)),
        ...withoutUndefined({ args: flags.arg }),
        settings: runConfig(flags),
        ...limitsOf(flags),
        // A report needs no items, and there may be millions.
        collect: false,
        force: flags.force,
        ...(flags.overwrite && { overwrite: true }),
        onOpened: () => memory.store(flags.dir ?? '', settings, remembered),
        onEnded: ({ ended, stats: { pages, items } }) =>
          memory.end(
            flags.dir ?? '',
            settings,
            { isInterrupted: ended === 'interrupted', pages, items },
            remembered,
          ),
        signal: terminal.interrupted,
        output: terminalOutput(terminal),
        onProgress: (progress) => line.update(progress),
        openLog: (log) => terminal.openLog(log),
      }).finally(() => line.clear())
      const code = exitCode(result, flags.redis !== undefined)
      const { failures } = result.stats
      const isFailed =
        code === EXIT.failed && result.ended !== 'interrupted' && isEveryRequestFailed(result.stats)
      const again = memory.flagsToRepeat(result.ended === 'interrupted')
      const resume = resumeLine(terminal, ['run', file], again)
      const isResumable = result.ended !== 'finished' && (flags.dir ?? flags.redis) !== undefined
      notifier.setResult(result.ended, spiderDocument(result))
      if (flags.json)
        terminal.out(
          formatJson({
            ...spiderDocument(result),
            ...(isResumable && { resume: resume.line }),
            ...(isFailed && nothingFetched(failures)),
          }),
        )
      else {
        const report = spiderReport(flags.dir, result, redisArgument(flags.redis), resume)
        if (toOutput) terminal.err(report)
        else terminal.out(report)
      }
      if (isFailed) terminal.fail(NOTHING_FETCHED, nothingFetchedText(failures))
      exitWith(code)
    })
}

/** What the crawl directory remembers of the command. */
const RUN_FLAGS: FlagPolicy = {
  command: 'run',
  shaping: new Set([
    ...SHAPING_FLAGS,
    '--arg',
    '--out',
    '--keep-pages',
    '--files',
    '--isolated',
    '--handler-threads',
    '--cache',
    '--depth',
  ]),
  limits: new Set(['--max-pages', '--max-items', '--max-time']),
}

function exitCode(result: SpiderResult, inFleet: boolean): ExitCode {
  const { ended, stats, feeds } = result
  if (ended === 'interrupted' || feeds.some(({ error }) => error !== undefined)) return EXIT.failed
  if (isNothingDone(result)) return isFleetFinished(result) ? EXIT.done : EXIT.nothing
  return isEveryRequestFailed(stats) && !inFleet ? EXIT.failed : EXIT.done
}

/** For a crawl of this process alone: what one worker got says nothing about its fleet. A page whose handler failed brought nothing. */
function isEveryRequestFailed({ pages, failed, failures }: SpiderStats): boolean {
  const codes = Object.entries(failed).filter(([code]) => /^handler-|^meta-invalid$/.test(code))
  const unhandled = codes.reduce((sum, [, n]) => sum + n, 0)
  return pages <= unhandled && failures.length > 0
}

function ownTargets({ out = [] }: Spider): readonly FeedTarget[] {
  return Array.isArray(out) ? (out as readonly FeedTarget[]) : [out as FeedTarget]
}

const CACHE_FOLDER = '.orbweaver-cache'

/** The settings of the flags without those of this machine and of Redis. */
function webSettings({ memory: _, job: _job, shards: _shards, ...flags }: RunFlags): OrbweaverConfig {
  return runConfig(flags)
}

/** The settings of the flags. */
export function runConfig(flags: RunFlags): OrbweaverConfig {
  const { threads, threadsPerHost, minDelay, job, shards } = flags
  const web = webConfig(flags)
  return {
    ...web,
    ...logConfig(flags),
    ...notifyConfig(flags),
    ...metricsConfig(flags),
    ...withoutUndefined({ memoryMb: flags.memory }),
    politeness: {
      ...web.politeness,
      ...withoutUndefined({ threads, threadsPerHost }),
      ...(minDelay !== undefined && { minDelaySeconds: minDelay / 1000 }),
    },
    redis: withoutUndefined({ job, shards }),
  }
}

function limitsOf({ maxPages, maxItems, depth, maxTime }: RunFlags): SpiderLimits {
  const maxTimeSeconds = maxTime === undefined ? undefined : maxTime * 60
  return withoutUndefined({ maxPages, maxItems, depth, maxTimeSeconds })
}

/** `name=value`, collected into one object. */
function namedValue(text: string, earlier: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Give an argument as name=value.')
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) }
}
