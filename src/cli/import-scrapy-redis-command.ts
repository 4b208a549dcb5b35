import { Command, InvalidArgumentError, Option } from 'commander'
import type { ScrapyDupefilter } from '../adapters/scrapy/fingerprints.ts'
import type { ScrapyImport } from '../adapters/scrapy/import-scrapy-redis.ts'
import type { ScrapyRule } from '../adapters/scrapy/scrapy-request.ts'
import { formatCount, formatCounts, formatJson, formatNumber, printableLine } from '../base/format-values.ts'
import { Interrupted } from '../base/interrupted.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FrontierOrder } from '../domain/frontier/frontier.ts'
import { FOLLOW_KEY, RULES_HANDLER } from '../flows/spider/rule-names.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT, type ExitCode } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { addRedisOptions, type RedisFlags, shardsOption, withRedisCrawl } from './redis-flags.ts'

interface ImportFlags extends RedisFlags {
  readonly job?: string
  readonly shards?: number
  readonly requestsKey?: string
  readonly dupefilterKey?: string
  readonly family?: 'a' | 'b' | 'c' | 'none'
  readonly order?: FrontierOrder
  readonly rules?: readonly ScrapyRule[]
  readonly keep: boolean
  readonly dryRun: boolean
  readonly json: boolean
}

const HELP = `
Stop the Python workers first. Each request is moved from <spider>:requests to the new crawl in one step: after an interruption, run the same
command again. Pickles are decoded as data and never executed. Requests of a JSON serializer (SCHEDULER_SERIALIZER) can be read, too. A request that
cannot be read is moved to <spider>:requests:unreadable with the reason; if none can be read, nothing is moved.

The dupefilter of the spider (<spider>:dupefilter) stays in place; the new crawl uses it and adds to it. It contains hashes. The command detects
their kind from the pending requests; if it cannot, set it with --family.

Requests created by the rules of a RedisCrawlSpider contain the number of the rule and no callback: name the callbacks with --rules.

Examples:
  orbweaver import-scrapy-redis books --redis redis://localhost --dry-run
  orbweaver import-scrapy-redis books --redis redis://localhost
  orbweaver import-scrapy-redis books --redis redis://localhost --rules parse_book,-
  orbweaver run books.ts --redis redis://localhost`

export function importScrapyRedisCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('import-scrapy-redis')
    .description('Import a scrapy-redis crawl: its pending requests and its dupefilter')
    .argument('<spider>', 'Name of the Python spider')
  return addJsonOption(addRedisOptions(command))
    .option('--job <name>', 'Name of the new crawl (default: the name of the spider)')
    .addOption(shardsOption())
    .option('--requests-key <key>', 'Key of the pending requests (default: <spider>:requests)')
    .option('--dupefilter-key <key>', 'Key of the dupefilter (default: <spider>:dupefilter)')
    .addOption(
      new Option(
        '--family <family>',
        'Kind of its fingerprints: a (scrapy-redis before 0.8), b (0.8 and later), c (Scrapy 2.7 and later), none (ignore the dupefilter) (default: detected)',
      ).choices(['a', 'b', 'c', 'none']),
    )
    .addOption(
      new Option('--order <order>', 'Order of requests, as in the spider (default: hosts)').choices([
        'hosts',
        'fifo',
        'lifo',
        'priority',
      ]),
    )
    .option(
      '--rules <names>',
      'Callbacks of the rules of a CrawlSpider, in order: - for none, name:follow for one with follow=True',
      ruleList,
    )
    .option('--keep', 'Copy the requests instead of moving them', false)
    .option('--dry-run', 'Show what would be imported, and change nothing', false)
    .addHelpText(
      'after',
      helpNotes(
        {
          0: 'success, possibly with a warning about unreadable requests',
          1: 'no requests to import',
          3: 'no request could be read, failure, or interruption; run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (spider: string, flags: ImportFlags) => {
      const { RedisImportTarget } = await import('../adapters/redis/redis-import-target.ts')
      const { urlNormalizer } = await import('../adapters/config/url-normalizer.ts')
      const { importScrapyRedis } = await import('../adapters/scrapy/import-scrapy-redis.ts')
      const { queueKey } = await import('../domain/url/queue-key.ts')
      const { settingsHere } = await import('../wiring/redis-session.ts')
      const crawl = flags.job ?? spider
      const { normalizer, politeness } = await settingsHere(flags)
      const done = await withRedisCrawl(flags, crawl, terminal, ({ connection, clock, settings }) => {
        const { order, shards = settings.shards } = flags
        const targetOptions = { ...redisKeys(settings, crawl), ...withoutUndefined({ order, shards }) }
        const target = new RedisImportTarget(connection, clock, crawl, targetOptions)
        return importScrapyRedis(target, clock, spider, {
          ...chosen(flags),
          keyOf: (url) => queueKey(url, politeness.queueMode),
          normalize: urlNormalizer(normalizer),
        })
      }).catch((error: unknown) => {
        if (error instanceof Interrupted) return undefined
        throw error
      })
      if (done === undefined) {
        terminal.err('interrupted; run the same command again to resume\n')
        return exitWith(EXIT.failed)
      }
      if (flags.json) terminal.out(formatJson(done))
      else if (done.isChanged || flags.dryRun || done.unreadable === 0) terminal.out(reportText(done, flags))
      if (done.unreadable > 0) terminal.err(warningText(done, flags))
      exitWith(exitCodeOf(done))
    })
}

/** `parse_item,-,parse_list:follow`. */
function ruleList(text: string): ScrapyRule[] {
  return text.split(',').map((part) => {
    const [, name = '', follow] = /^\s*(-|[\p{L}_$][\p{L}\p{N}_$]*)(:follow)?\s*$/u.exec(part) ?? []
    if (name === '')
      throw new InvalidArgumentError('Give names of callbacks, as parse_item,-,parse_list:follow.')
    const meta = { [FOLLOW_KEY]: true }
    return name === '-' ? { handler: RULES_HANDLER, meta } : { handler: name, ...(follow && { meta }) }
  })
}

function chosen({ requestsKey, dupefilterKey, family, rules, keep, dryRun }: ImportFlags) {
  return {
    ...withoutUndefined({ rules, requestsKey, dupefilterKey }),
    ...(family !== undefined && { dupefilter: dupefilterOf(family) }),
    ...{ keep, dryRun },
  }
}

function dupefilterOf(family: 'a' | 'b' | 'c' | 'none'): ScrapyDupefilter | 'none' {
  return family === 'none' ? 'none' : `scrapy-${family}`
}

function exitCodeOf({ imported, known, unreadable, dupefilter }: ScrapyImport): ExitCode {
  if (unreadable > 0 && imported + known === 0) return EXIT.failed
  return imported + known === 0 && dupefilter === undefined ? EXIT.nothing : EXIT.done
}

function reportText(done: ScrapyImport, { dryRun, keep }: ImportFlags): string {
  const { crawl, requestsKey, imported, known, handlers, dropped, dupefilter } = done
  const verb = dryRun ? 'would be imported' : keep ? 'copied' : 'imported'
  const lines = [
    `${formatCount(imported, 'request')} ${verb} from ${printableLine(requestsKey)} to the crawl ${printableLine(crawl)}` +
      (known > 0 ? `; ${formatNumber(known)} had been copied before` : ''),
    ...(Object.keys(handlers).length > 0
      ? [`handlers   ${printableLine(formatCounts(handlers), 2_000)}`]
      : []),
    ...(Object.keys(dropped).length > 0 ? [`left out   ${printableLine(formatCounts(dropped), 2_000)}`] : []),
    dupefilter === undefined
      ? 'seen       nothing: the crawl has a seen set of its own'
      : `seen       ${formatNumber(dupefilter.size)} in ${printableLine(dupefilter.key)}, with fingerprints ${dupefilter.kind}; the crawl goes by them`,
  ]
  return `${lines.join('\n')}\n`
}

function warningText(done: ScrapyImport, flags: ImportFlags): string {
  const { isChanged, requestsKey, unreadable, unreadableKey, problems } = done
  const where = isChanged && !flags.keep ? `; kept in ${printableLine(unreadableKey)}` : ''
  const lines = [
    isChanged || flags.dryRun
      ? `warning: ${formatCount(unreadable, 'request')} could not be read${where}`
      : `nothing was moved: no request in ${printableLine(requestsKey)} can be read (${formatCount(unreadable, 'request')})`,
  ]
  return [...lines, ...problems.map((problem) => `  ${printableLine(problem)}`)]
    .map((line) => `${line}\n`)
    .join('')
}
