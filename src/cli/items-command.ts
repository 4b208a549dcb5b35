import { Command, InvalidArgumentError } from 'commander'
import type { Settings } from '../adapters/config/config-schema.ts'
import { type FeedFile, parseFeedTarget } from '../adapters/feeds/feed-target.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { ItemLog } from '../domain/frontier/item-log.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addMemoryOption, sessionOptions } from './crawl-flags.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { feedDocument, feedText, itemsToOutput } from './item-output.ts'
import type { Following, Written } from './items-to-write.ts'
import { collected } from './option-values.ts'
import { noteMissingCrawl, redisOption, suggestingRedis, withRedisCrawl } from './redis-flags.ts'
import type { Terminal } from './terminal.ts'
import { addConfigOption } from './web-flags.ts'

interface ItemsFlags {
  readonly out: readonly string[]
  readonly rejected: boolean
  readonly overwrite: boolean
  readonly json: boolean
  readonly config?: string
  readonly memory?: number
  readonly redis?: string | true
  readonly take: boolean
  readonly follow: boolean
  readonly consumer?: string
  readonly fields?: readonly string[]
}

const HELP = `
A crawl directory keeps all items, so that they can be exported again in another format without fetching. The crawl does not change. With --redis,
give the name of the crawl instead of the directory: the items are in the list <crawl>:items and stay there.

--take removes items from that list after writing them. Several consumers may run at the same time, each with its own files. No item is lost or
written twice if a consumer is killed: start it again within a month, and it resumes its files. --consumer identifies it if the host name
changes. Files can be .jsonl or .json, or .csv with --fields. The list may contain items of Python spiders, too.

Examples:
  orbweaver items crawl --out items.csv --out items.parquet
  orbweaver items crawl --out - | jq .title
  orbweaver items crawl --rejected --out rejected.jsonl
  orbweaver items shop --redis redis://host/0 --out items.parquet
  orbweaver items shop --redis redis://host/0 --take --follow --out items-{batch}.jsonl`

export function itemsCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('items')
    .argument('<dir>', 'Crawl directory; with --redis, the name of the crawl')
    .requiredOption(
      '--out <target>',
      'Output: a file or an object in s3:// (.jsonl .json .csv .parquet), or - for standard output; repeatable',
      collected,
    )
    .option('--rejected', 'Export the items that the schema rejected, each with the reason', false)
    .option('--fields <names>', 'Only these fields, in this order: title,price', fieldNames)
    .option('--overwrite', 'Replace existing files', false)
    .addOption(redisOption('Read the items of a crawl in Redis'))
    .option('--follow', 'With --redis: wait for more items until the crawl is finished or Ctrl-C', false)
    .option('--take', 'With --redis: remove items from the list after writing them', false)
    .option(
      '--consumer <name>',
      'With --take: name of this consumer (default: the host name and the first file)',
    )
  return addMemoryOption(addJsonOption(addConfigOption(command)))
    .addHelpText(
      'after',
      helpNotes(
        { 0: 'success, or --follow was stopped by Ctrl-C', 1: 'no items', 3: 'failure or interruption' },
        HELP,
      ),
    )
    .action(async (dir: string, flags: ItemsFlags) => {
      const { withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { takeItemsTo, takenText } = await import('./items-to-take.ts')
      const { writeItems } = await import('./items-to-write.ts')
      checkFlags(flags)
      const targets = flags.out.map((target) => fileTarget(target, flags))
      const toOutput = itemsToOutput(targets, flags.json)
      const report = (text: string) => (toOutput ? terminal.err(text) : terminal.out(text))
      if (flags.take) {
        const taken = await takeItemsTo(targets, dir, flags, terminal)
        if (flags.json) terminal.out(formatJson(taken))
        else report(takenText(taken))
        if (taken.items === 0) await nothing(dir, flags)
        return
      }
      const request = sessionOptions(dir, flags, 'items')
      const write = (items: ItemLog, { objectStore }: Pick<Settings, 'objectStore'>, following?: Following) =>
        writeItems(items, targets, { ...flags, objectStore }, terminal, following)
      const written = await (flags.redis === undefined
        ? suggestingRedis(flags, () =>
            withCrawlToRead(request, ({ items, settings }) => write(items, settings)),
          )
        : withRedisItems(dir, flags, terminal, write))
      if (flags.json) terminal.out(formatJson({ items: written.items, feeds: feedDocument(written.feeds) }))
      else report(reportOf(written, flags))
      if (written.items === 0) await nothing(dir, flags)
      else if (written.feeds.some(({ error }) => error !== undefined)) exitWith(EXIT.failed)
    })

  async function nothing(dir: string, flags: ItemsFlags): Promise<void> {
    exitWith(EXIT.nothing)
    if (flags.redis !== undefined) await noteMissingCrawl(flags, dir, terminal)
  }
}

/** @throws ConfigurationError */
function checkFlags({ redis, take, follow, consumer }: ItemsFlags): void {
  if (redis === undefined && (take || follow))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `${take ? '--take' : '--follow'} is for a crawl in Redis: name it with --redis; a directory keeps its items`,
    )
  if (consumer !== undefined && !take)
    throw new ConfigurationError('OPTION_INVALID', '--consumer says who takes items: give --take, too')
}

function fieldNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('Give names of fields, like title,price.')
  return names
}

/** @throws ConfigurationError */
function fileTarget(target: string, { rejected, overwrite, fields }: ItemsFlags): FeedFile {
  const parsed = parseFeedTarget(target)
  const shared = { from: rejected ? 'rejected' : 'items', ...withoutUndefined({ fields }) } as const
  // A string is never a writer.
  if (parsed.kind !== 'file')
    return { path: '-', ...shared, ...('format' in parsed && { format: parsed.format }) }
  return { path: parsed.path, format: parsed.format, ...shared, overwrite }
}

async function withRedisItems(
  crawl: string,
  flags: ItemsFlags,
  terminal: Terminal,
  work: (items: ItemLog, settings: Settings, following?: Following) => Promise<Written>,
): Promise<Written> {
  const { settingsHere, withGracePeriod } = await import('../wiring/redis-session.ts')
  const all = await settingsHere(flags)
  if (!flags.follow) return withRedisCrawl(flags, crawl, terminal, ({ items }) => work(items, all))
  const patient = { err: terminal.err.bind(terminal), interrupted: withGracePeriod(terminal.interrupted) }
  return withRedisCrawl(flags, crawl, patient, async ({ items, clock, connection, settings }) => {
    const { CrawlEndCheck } = await import('../adapters/redis/inspect-crawl.ts')
    const end = new CrawlEndCheck(connection, crawl, redisKeys(settings, crawl))
    return work(items, all, { clock, isOver: () => end.isReached() })
  })
}

function reportOf({ items, feeds }: Written, { rejected }: ItemsFlags): string {
  const noun = rejected ? 'rejected item' : 'item'
  if (items === 0) return `there is no ${noun} in this crawl\n`
  return feeds.map((feed) => `${feedText(feed, formatCount(items, noun))}\n`).join('')
}
