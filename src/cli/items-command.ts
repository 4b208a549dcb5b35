import { Command } from 'commander'
import { wallClock } from '../base/clock.ts'
import { CrawlError } from '../base/crawl-error.ts'
import { itemsToParquet } from '../duckdb/items-to-parquet.ts'
import { type FileTarget, parseFeedTarget } from '../feeds/feed-target.ts'
import { type FeedResult, ItemFeeds } from '../feeds/item-feeds.ts'
import type { ItemLog, LoggedItem } from '../frontier/item-log.ts'
import type { CommandContext } from './command-context.ts'
import { crawlConfig } from './crawl-flags.ts'
import { withCrawlToRead } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { feedDocument, feedText, itemsToOutput, terminalOutput } from './item-output.ts'
import { collected, positiveNumber } from './option-values.ts'
import { withRedisCrawl } from './redis-crawl.ts'
import { counted } from './shown.ts'
import { shownLines } from './shown-lines.ts'
import type { Terminal } from './terminal.ts'
import { addConfigOption } from './web-flags.ts'

interface ItemsFlags {
  readonly out: readonly string[]
  readonly rejected: boolean
  readonly overwrite: boolean
  readonly json: boolean
  readonly config?: string
  readonly memory?: number
  readonly redis?: string
}

interface Written {
  readonly items: number
  readonly feeds: readonly FeedResult[]
}

const HELP = `
A crawl directory keeps every item, so that they can be had in another format without asking the web again. The crawl stays as it is.
With --redis, name the spider in place of the directory: its items are in the list <spider>:items, where they stay.

Examples:
  orbweaver items crawl --out items.csv --out items.parquet
  orbweaver items crawl --out - | jq .title
  orbweaver items crawl --rejected --out rejected.jsonl
  orbweaver items shop --redis redis://host/0 --out items.parquet

Exit codes: 0 done; 1 there is no item; 2 wrong usage; 3 it failed or was interrupted.`

export function itemsCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('items')
    .description("Writes the items of a spider's crawl again, in any format.")
    .argument('<dir>', 'the crawl directory; with --redis, the name of the spider')
    .option('--redis <url>', 'the crawl is in this Redis')
    .requiredOption(
      '--out <target>',
      'where items go: a file (.jsonl .json .csv .parquet), or - ; may be repeated',
      collected,
    )
    .option(
      '--rejected',
      'those that the schema refused, each with its reason, in place of the good ones',
      false,
    )
    .option('--overwrite', 'replace files that are there', false)
    .option('--json', 'print one JSON document', false)
    .option('--memory <megabytes>', 'what the database may use', positiveNumber)
  return addConfigOption(command)
    .addHelpText('after', HELP)
    .action(async (dir: string, flags: ItemsFlags) => {
      const targets = flags.out.map((target) => fileTarget(target, flags))
      const toOutput = itemsToOutput(targets, flags.json)
      const crawlFlags = { ...flags, force: false }
      const request = { dir, flags: crawlFlags, config: crawlConfig(crawlFlags), command: 'items' }
      const work = ({ items }: { readonly items: ItemLog }) => write(items, targets, flags, terminal)
      const written = await (flags.redis === undefined
        ? withCrawlToRead(request, work)
        : withRedisCrawl(flags.redis, dir, work))
      if (flags.json)
        terminal.out(
          `${JSON.stringify({ items: written.items, feeds: feedDocument(written.feeds) }, undefined, 2)}\n`,
        )
      else if (toOutput) terminal.err(reportOf(written, flags))
      else terminal.out(reportOf(written, flags))
      if (written.items === 0) exitWith(EXIT.nothing)
      else if (written.feeds.some(({ error }) => error !== undefined)) exitWith(EXIT.failed)
    })
}

/** @throws ConfigurationError */
function fileTarget(target: string, { rejected, overwrite }: ItemsFlags): FileTarget {
  const parsed = parseFeedTarget(target)
  const from = rejected ? 'rejected' : 'items'
  // A string is never a writer.
  if (parsed.kind !== 'file') return { path: '-', from, ...('format' in parsed && { format: parsed.format }) }
  return { path: parsed.path, format: parsed.format, from, overwrite }
}

async function write(
  items: ItemLog,
  targets: readonly FileTarget[],
  { rejected }: ItemsFlags,
  terminal: Terminal,
): Promise<Written> {
  const first = await (rejected ? items.rejected(0, 1) : items.items(0, 1))
  // No file is touched for nothing.
  if (first.length === 0) return { items: 0, feeds: [] }
  const log = new ReplayedLog(items, terminal.interrupted)
  const feeds = await ItemFeeds.open(log, targets, {
    clock: wallClock,
    directory: undefined,
    output: terminalOutput(terminal),
    writeTable: itemsToParquet,
    onNotice: ({ message }) => terminal.err(`${shownLines(message)}\n`),
  })
  log.begin()
  const results = await feeds.close()
  return { items: log.count, feeds: results }
}

/** A log whose items are all new after `begin`, as the standard output gets only new ones; it counts them. */
class ReplayedLog implements ItemLog {
  readonly #log: ItemLog
  readonly #signal: AbortSignal
  #hasBegun = false
  #end = 0
  count = 0

  constructor(log: ItemLog, signal: AbortSignal) {
    this.#log = log
    this.#signal = signal
  }

  begin(): void {
    this.#hasBegun = true
  }

  items(position: number, limit: number) {
    return this.#read(() => this.#log.items(position, limit))
  }

  rejected(position: number, limit: number) {
    return this.#read(() => this.#log.rejected(position, limit))
  }

  async #read<Item extends LoggedItem>(read: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
    if (!this.#hasBegun) return []
    if (this.#signal.aborted) throw new Interrupted('interrupted: what was written is not complete')
    const page = await read()
    // Some pages are read more than once.
    this.count += page.filter(({ position }) => position > this.#end).length
    this.#end = Math.max(this.#end, page.at(-1)?.position ?? 0)
    return page
  }
}

class Interrupted extends CrawlError {
  readonly code = 'INTERRUPTED'
  readonly retryable = true
}

function reportOf({ items, feeds }: Written, { rejected }: ItemsFlags): string {
  const noun = rejected ? 'rejected item' : 'item'
  if (items === 0) return `there is no ${noun} in this crawl\n`
  return feeds.map((feed) => `${feedText(feed, counted(items, noun))}\n`).join('')
}
