import { Command } from 'commander'
import { formatCount, formatJson, formatNumber } from '../base/format-values.ts'
import { type CommandContext, EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'

interface MergeDbFlags extends CrawlFlags {
  readonly filter: boolean
  readonly normalize: boolean
}

const DB_HELP = `
Adds URLs that are new, and the seeds. Of a URL that several crawls have, the record that was fetched last stays. Pages are not copied: their
segments stay where they are. The other crawls are not changed, and must not be in use.

Examples:
  orbweaver mergedb crawl other-crawl
  orbweaver mergedb all north south --filter`

/** `orbweaver mergedb` */
export function mergeDbCommand(context: CommandContext): Command {
  const { terminal, exitWith } = context
  return crawlsCommand(
    'mergedb',
    'Add the records of other crawls to a CrawlDb',
    'no record was added or replaced',
    DB_HELP,
  )
    .option('--filter', 'Delete records that the URL filters reject, in the whole CrawlDb', false)
    .option('--normalize', 'Normalize the URLs of the whole CrawlDb', false)
    .action(async (dir: string, others: string[], flags: MergeDbFlags) => {
      const [{ openCrawl }, { checkMergeSources }] = await Promise.all([
        import('../wiring/open-crawl.ts'),
        import('../wiring/check-merge-sources.ts'),
      ])
      checkMergeSources(dir, others)
      const { filter, normalize } = flags
      await using crawl = await openCrawl(dir, { ...openOptions(flags, 'mergedb', terminal), create: true })
      const result = await crawl.mergeDb(others, { filter, normalize, signal: terminal.interrupted })
      const { records, added, replaced } = result
      const text = `${formatCount(records, 'record')} read: ${formatNumber(added)} added, ${formatNumber(replaced)} replaced by a later fetch\n`
      terminal.out(flags.json ? formatJson(result) : text)
      if (added + replaced === 0) exitWith(EXIT.nothing)
    })
}

const LINK_HELP = `
Of a page that several crawls have, the links of its newest fetch stay. The other crawls are not changed, and must not be in use.

Example:
  orbweaver mergelinkdb crawl other-crawl`

/** `orbweaver mergelinkdb` */
export function mergeLinkDbCommand({ terminal, exitWith }: CommandContext): Command {
  return crawlsCommand(
    'mergelinkdb',
    'Add the inverted links of other crawls',
    'no link was added',
    LINK_HELP,
  ).action(async (dir: string, others: string[], flags: CrawlFlags) => {
    const [{ openCrawl }, { checkMergeSources }] = await Promise.all([
      import('../wiring/open-crawl.ts'),
      import('../wiring/check-merge-sources.ts'),
    ])
    checkMergeSources(dir, others)
    await using crawl = await openCrawl(dir, { ...openOptions(flags, 'mergelinkdb', terminal), create: true })
    const links = await crawl.mergeLinkDb(others, { signal: terminal.interrupted })
    terminal.out(flags.json ? formatJson({ links }) : `${formatCount(links, 'link')} added\n`)
    if (links === 0) exitWith(EXIT.nothing)
  })
}

function crawlsCommand(name: string, description: string, nothing: string, help: string): Command {
  const command = new Command(name)
    .description(description)
    .argument('<dir>', 'Crawl directory that gets the data; created on first use')
    .argument('<others...>', 'Crawl directories whose data to add')
  return addCrawlOptions(command).addHelpText(
    'after',
    helpNotes({ 1: nothing, 3: 'failure or interruption; crawls before the failing one were merged' }, help),
  )
}
