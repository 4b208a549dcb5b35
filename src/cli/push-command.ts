import { Command, Option } from 'commander'
import type { StartKind } from '../adapters/redis/start-messages.ts'
import { StartPusher, type StartToPush } from '../adapters/redis/start-pusher.ts'
import { readStartMessage } from '../adapters/scrapy/start-message.ts'
import { formatCount, formatJson, formatNumber, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { JudgeUrl } from '../domain/crawldb/crawl-db-requests.ts'
import type { Seed } from '../domain/crawldb/inject-record.ts'
import { readSeeds, SeedTally, seedSources } from '../flows/cycle/read-seeds.ts'
import { redisKeys } from '../wiring/redis-access.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { someNumber } from './option-values.ts'
import { addRedisOptions, CRAWL_ARGUMENT, type RedisFlags, withRedis } from './redis-flags.ts'
import type { Terminal } from './terminal.ts'

interface PushFlags extends RedisFlags {
  readonly key?: string
  readonly as?: StartKind
  readonly priority?: number
  readonly handler?: string
  readonly json: boolean
}

const HELP = `
Workers of the crawl read start URLs while they run. A line of a file is a URL, optionally followed by tab-separated key=value pairs: score sets the
priority, other keys become meta. A line can also be a start message in JSON. Blank lines and lines that start with # are ignored.

A plain URL is pushed as it is, so that Python workers can read it, too. With --priority, --handler or key=value pairs it is pushed as JSON, whose
members scrapy-redis would read as form data.

Examples:
  orbweaver push books https://books.example.org/ --redis redis://queue.example.org/0
  orbweaver push books urls.txt --redis redis://localhost --priority 10 --handler book
  cat urls.txt | orbweaver push books - --redis redis://localhost --as set`

export function pushCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('push')
    .description('Add start URLs to a crawl in Redis')
    .argument('<crawl>', CRAWL_ARGUMENT)
    .argument('<urls...>', 'URLs, files, directories of files, or - for standard input')
  return addJsonOption(addRedisOptions(command))
    .option(
      '--key <key>',
      'Key of the start URLs (default: <crawl>:start_urls; in a cluster {<crawl>}:start_urls)',
    )
    .addOption(
      new Option('--as <kind>', 'Type of the key (default: its current type; list for a new key)').choices([
        'list',
        'set',
        'zset',
      ]),
    )
    .option(
      '--priority <n>',
      'Priority of the requests, higher first; also their score in a zset',
      someNumber,
    )
    .option('--handler <name>', 'Handler of the spider for these pages')
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'no URL was given',
          2: 'usage or configuration error, or some lines are not URLs; the other URLs were pushed',
        },
        HELP,
      ),
    )
    .action(async (spider: string, urls: string[], flags: PushFlags) => {
      const report = await pushAll(spider, urls, flags, terminal)
      terminal.out(flags.json ? formatJson(report) : reportText(report))
      if (report.rejected > 0) exitWith(EXIT.usage)
      else if (report.lines === 0) exitWith(EXIT.nothing)
    })
}

interface PushReport {
  readonly key: string
  /** Lines with a URL. */
  readonly lines: number
  readonly pushed: number
  /** Already in the set. */
  readonly known: number
  readonly rejected: number
  /** Invalid key=value pairs; their URLs were pushed. */
  readonly badItems: number
  readonly examples: SeedTally['examples']
}

async function pushAll(
  spider: string,
  urls: readonly string[],
  flags: PushFlags,
  terminal: Terminal,
): Promise<PushReport> {
  const { key, as } = flags
  const tally = new SeedTally(EXAMPLES)
  const sources = seedSources(urls, terminal.input, (directory) =>
    terminal.err(`note: ${printableLine(directory)} is a subdirectory and was skipped\n`),
  )
  return withRedis(flags, terminal, async (connection, settings) => {
    const pusher = new StartPusher(connection, spider, {
      ...redisKeys(settings, spider),
      ...withoutUndefined({ startUrls: key, as }),
    })
    const sum = { pushed: 0, known: 0 }
    try {
      for await (const seeds of readSeeds(sources, judge, tally)) {
        const pushed = await pusher.push(seeds.map((seed) => startOf(seed, flags)))
        sum.pushed += pushed
        sum.known += seeds.length - pushed
      }
    } catch (error) {
      if (sum.pushed > 0) terminal.err(`note: ${formatCount(sum.pushed, 'URL')} pushed before the error\n`)
      throw error
    }
    const rejected = tally.rejected.get(REJECTED) ?? 0
    const { seeds: lines, badItems, examples } = tally
    return { key: pusher.key, lines, ...sum, rejected, badItems, examples }
  })
}

const EXAMPLES = 20
const REJECTED = 'not a URL'

/** Rejects messages that workers could not read. Others are pushed unchanged, because Python's fingerprints depend on the text. */
const judge: JudgeUrl = (text) => {
  const read = readStartMessage(text)
  return read.ok ? { ok: true, url: text } : { ok: false, reason: REJECTED, detail: read.reason }
}

/** Values of a line override flags; a JSON line ignores them. */
function startOf({ url, score, metadata }: Seed, flags: PushFlags): StartToPush {
  if (url.startsWith('{')) {
    const read = readStartMessage(url)
    return { message: url, score: (read.ok ? read.start.options.priority : undefined) ?? 0 }
  }
  const { handler } = flags
  const priority = score ?? flags.priority
  const said = {
    ...withoutUndefined({ priority, handler }),
    ...(Object.keys(metadata).length > 0 && { meta: metadata }),
  }
  const message = Object.keys(said).length === 0 ? url : JSON.stringify({ url, ...said })
  return { message, score: priority ?? 0 }
}

function reportText({ key, lines, pushed, known, rejected, badItems, examples }: PushReport): string {
  if (lines === 0) return 'no URLs given\n'
  const parts = [
    `${formatCount(pushed, 'start URL')} pushed to ${printableLine(key)}`,
    ...(known > 0 ? [`${formatNumber(known)} already there`] : []),
    ...(rejected > 0 ? [`${formatNumber(rejected)} rejected`] : []),
    ...(badItems > 0 ? [`${formatCount(badItems, 'invalid key=value pair')} ignored`] : []),
  ]
  const problems = examples.map(
    ({ at, url, reason }) => `  ${printableLine(at)}  ${printableLine(url)}  ${printableLine(reason)}`,
  )
  return `${[parts.join('; '), ...problems].join('\n')}\n`
}
