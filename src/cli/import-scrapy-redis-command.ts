import { Command, InvalidArgumentError, Option } from 'commander'
import { importScrapyRedis, type ScrapyImport } from '../adapters/redis/import-scrapy-redis.ts'
import type { ScrapyDupefilter } from '../adapters/redis/scrapy-dupefilter.ts'
import type { ScrapyRule } from '../adapters/scrapy/scrapy-request.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FrontierOrder } from '../domain/frontier/frontier.ts'
import { createNormalizer } from '../domain/url/normalize-url.ts'
import { queueKey } from '../domain/url/queue-key.ts'
import { FOLLOW_KEY, RULES_HANDLER } from '../flows/spider/link-rule.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { formatCount, formatCounts, formatJson, formatNumber, printableLine } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { Interrupted } from './interrupted.ts'
import { addRedisOptions, type RedisFlags, settingsHere, withRedisCrawl } from './redis-session.ts'

interface ImportFlags extends RedisFlags {
  readonly crawl?: string
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
Stop Python's workers first. Each request moves from <spider>:requests to the new crawl in one step: after an interruption, run the same command
again. Pickles are read as data and never run. Requests of a JSON serializer (SCHEDULER_SERIALIZER) are read, too. A request that cannot be read
moves to <spider>:requests:unreadable with the reason; if none can be read, nothing is moved.
The URLs that Python has seen (<spider>:dupefilter) stay where they are. The new crawl uses that set and adds to it. It holds hashes: the command
finds out their kind from the pending requests; if it cannot, say it with --family.
Requests that a RedisCrawlSpider made by its rules have the number of the rule and no callback: name the callbacks with --rules.

Examples:
  orbweaver import-scrapy-redis books --redis redis://localhost --dry-run
  orbweaver import-scrapy-redis books --redis redis://localhost
  orbweaver import-scrapy-redis books --redis redis://localhost --rules parse_book,-
  orbweaver run books.ts --redis redis://localhost`

export function importScrapyRedisCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('import-scrapy-redis')
    .description('Takes over a crawl of scrapy-redis: its pending requests, and what it has seen.')
    .argument('<spider>', "the name of Python's spider")
  return addRedisOptions(command)
    .option('--crawl <name>', 'the crawl that gets them (default: the name of the spider)')
    .option('--requests-key <key>', 'where they wait (default: <spider>:requests)')
    .option('--dupefilter-key <key>', 'the set of what Python has seen (default: <spider>:dupefilter)')
    .addOption(
      new Option(
        '--family <family>',
        'its fingerprints: a of scrapy-redis before 0.8, b since, c of Scrapy 2.7 and later; none: do without (default: found out)',
      ).choices(['a', 'b', 'c', 'none']),
    )
    .addOption(
      new Option('--order <order>', "the spider's, if it has one (default: hosts)").choices([
        'hosts',
        'fifo',
        'lifo',
        'priority',
      ]),
    )
    .option(
      '--rules <names>',
      "the callbacks of a CrawlSpider's rules, in their order: - for none, name:follow for one with follow=True",
      ruleList,
    )
    .option('--keep', 'copy: the requests stay in the queue of Python, too', false)
    .option('--dry-run', 'look at everything, and change nothing', false)
    .option('--json', 'print one JSON document', false)
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
      const crawl = flags.crawl ?? spider
      const { normalizer, politeness } = await settingsHere(flags)
      const done = await withRedisCrawl(flags, crawl, terminal, ({ connection, clock, settings }) =>
        importScrapyRedis(connection, clock, spider, {
          ...redisKeys(settings, crawl),
          ...chosen(flags),
          crawl,
          keyOf: (url) => queueKey(url, politeness.queueMode),
          normalize: createNormalizer(normalizer),
        }),
      ).catch((error: unknown) => {
        if (error instanceof Interrupted) return undefined
        throw error
      })
      if (done === undefined) {
        terminal.err('interrupted; the same command goes on\n')
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

function chosen({ requestsKey, dupefilterKey, family, order, rules, keep, dryRun }: ImportFlags) {
  return {
    ...withoutUndefined({ rules, requestsKey, dupefilterKey }),
    ...(family !== undefined && { dupefilter: dupefilterOf(family) }),
    ...withoutUndefined({ order }),
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
