import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { indexFile } from '../adapters/sqlite-index/index-file.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, formatCounts, formatJson, printableLine } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { DbStatus } from '../domain/crawldb/crawl-status.ts'
import type { CleanedIndex } from '../wiring/cycle-options.ts'
import type { Crawl } from '../wiring/open-crawl.ts'
import { writeFileWhole } from '../wiring/write-file-whole.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { dbStatus } from './list-flags.ts'
import { addLogOptions, type LogFlags } from './log-flags.ts'
import { collected } from './option-values.ts'
import type { Terminal } from './terminal.ts'

interface CleanFlags extends CrawlFlags, LogFlags {
  readonly out?: string
  readonly to?: readonly string[]
  readonly status?: readonly string[]
}

const STDOUT = '-'

const HELP = `
Deletes pages that are gone, duplicates, redirects, orphans or unreadable from a search index, also those that another program indexed. With
--out, or without --to and without an index in the crawl directory, their URLs are written instead, one per line. The crawl stays
unchanged.

Examples:
  orbweaver clean crawl
  orbweaver clean crawl --to solr:https://localhost:8983/solr/pages
  orbweaver clean crawl --out - > gone.txt
  orbweaver clean crawl --status gone --status duplicate --out gone.txt`

export function cleanCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('clean')
    .description('Delete gone, duplicate and redirected pages from a search index, or list them')
    .argument('<dir>', 'Crawl directory')
    .option(
      '--to <index>',
      'Index to clean, as for orbweaver index; repeatable (default: the one in the crawl directory)',
      collected,
    )
    .option('--out <file>', 'Write the URLs to this file instead; - is standard output')
    .option('--status <status>', 'Only pages with this status; repeatable', collected)
  return addLogOptions(addCrawlOptions(command))
    .addHelpText('after', helpNotes({ 1: 'no page to remove' }, HELP))
    .action(async (dir: string, flags: CleanFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      if (flags.out !== undefined && flags.to !== undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          'give --to to clean an index, or --out to get the URLs, not both',
        )
      const status = flags.status?.map(dbStatus)
      const to = flags.to ?? (flags.out === undefined && existsSync(indexFile(dir)) ? ['sqlite'] : [])
      const options = openOptions(flags, 'clean', terminal)
      await using crawl = await openCrawl(dir, to.length > 0 ? options : { ...options, readOnly: true })
      const urls =
        to.length > 0
          ? await cleanIndexes(crawl, to, status, flags, terminal)
          : await listUrls(crawl, status, flags, terminal)
      if (urls === 0) exitWith(EXIT.nothing)
    })
}

async function cleanIndexes(
  crawl: Crawl,
  to: readonly string[],
  status: readonly DbStatus[] | undefined,
  { json }: CleanFlags,
  terminal: Terminal,
): Promise<number> {
  const results = await crawl.clean({ to, signal: terminal.interrupted, ...withoutUndefined({ status }) })
  const { urls = 0, statuses = {} } = results.at(-1) ?? {}
  terminal.out(json ? formatJson({ to, urls, statuses }) : results.map(cleanedText).join(''))
  return urls
}

function cleanedText({ target = '', urls, statuses }: CleanedIndex): string {
  const index = printableLine(target)
  return urls === 0
    ? `no page to delete from ${index}\n`
    : `${formatCount(urls, 'URL')} deleted from ${index}: ${formatCounts(statuses)}\n`
}

async function listUrls(
  crawl: Crawl,
  status: readonly DbStatus[] | undefined,
  { out = STDOUT, json }: CleanFlags,
  terminal: Terminal,
): Promise<number> {
  const isFile = out !== STDOUT
  const list = (print: (text: string) => Promise<void>) =>
    crawl.clean({
      remove: (urls) => print(urls.map((url) => `${url}\n`).join('')),
      ...withoutUndefined({ status }),
    })
  const print = async (text: string) => {
    if (json) return
    terminal.out(text)
    await terminal.outRoom()
  }
  const [result] = await (isFile ? writeFileWhole(out, list) : list(print))
  const { urls = 0, statuses = {} } = result ?? {}
  const text =
    urls === 0
      ? 'no page to remove\n'
      : `${formatCount(urls, 'URL')}${isFile ? ` in ${out}` : ''}: ${formatCounts(statuses)}\n`
  if (json) terminal.out(formatJson({ out: isFile ? out : null, urls, statuses }))
  else if (isFile) terminal.out(text)
  else terminal.err(text)
  return urls
}
