import { existsSync } from 'node:fs'
import { Command } from 'commander'
import { indexFile } from '../adapters/sqlite-index/index-file.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { DbStatus } from '../domain/crawldb/crawl-status.ts'
import { type CleanResult, cleanIndex, removeFromIndex } from '../flows/cycle/clean-index.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { withCrawl, withCrawlToRead } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { writeFileWhole } from './file-writer.ts'
import { formatCount, formatCounts, formatJson, printableLine } from './format-values.ts'
import { dbStatus } from './generate-command.ts'
import { helpNotes } from './help-notes.ts'
import { EMBEDDED, indexTargets } from './index-session.ts'
import { collected } from './option-values.ts'
import type { Terminal } from './terminal.ts'

interface CleanFlags extends CrawlFlags {
  readonly out?: string
  readonly to?: readonly string[]
  readonly status?: readonly string[]
}

const STDOUT = '-'

const HELP = `
Takes pages that are gone, duplicates, redirects, orphans or could not be read out of a search index. index does so too, for those that it has put
there itself; this names them all, whoever put them. With --out, or when there is neither --to nor an index in the crawl directory, their
URLs are written instead, one a line, for whoever keeps an index elsewhere. The crawl stays as it is. Pages that say noindex are not among
them: index never puts them.

Examples:
  orbweaver clean crawl
  orbweaver clean crawl --to solr:https://localhost:8983/solr/pages
  orbweaver clean crawl --out - > gone.txt
  orbweaver clean crawl --status gone --status duplicate --out gone.txt`

export function cleanCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('clean')
    .description('Takes the pages out of a search index that it must not hold, or names them.')
    .argument('<dir>', 'the crawl directory')
    .option(
      '--to <index>',
      'which index, as for index; may be repeated (default: that of the crawl directory)',
      collected,
    )
    .option('--out <file>', 'where the URLs go instead; -: standard output')
    .option('--status <status>', 'only these; may be repeated', collected)
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no page to remove' }, HELP))
    .action(async (dir: string, flags: CleanFlags) => {
      if (flags.out !== undefined && flags.to !== undefined)
        throw new ConfigurationError(
          'OPTION_INVALID',
          'give --to to clean an index, or --out to get the URLs, not both',
        )
      const statuses = flags.status?.map(dbStatus)
      const to = flags.to ?? (flags.out === undefined && existsSync(indexFile(dir)) ? [EMBEDDED] : [])
      const result =
        to.length > 0
          ? await cleanIndexes(dir, to, flags, statuses, terminal)
          : await nameUrls(dir, flags, statuses, terminal)
      if (result.urls === 0) exitWith(EXIT.nothing)
    })
}

async function cleanIndexes(
  dir: string,
  to: readonly string[],
  flags: CleanFlags,
  statuses: readonly DbStatus[] | undefined,
  terminal: Terminal,
): Promise<CleanResult> {
  return withCrawl({ dir, flags, config: crawlConfig(flags), command: 'clean' }, async (session) => {
    let result: CleanResult = { urls: 0, statuses: {} }
    for (const { key, open } of indexTargets(session, to, terminal)) {
      const writer = await open()
      try {
        const remove = (urls: readonly string[]) => removeFromIndex(session.indexLedger, key, writer, urls)
        result = await cleanIndex(session.reader, remove, statuses)
      } finally {
        await writer.close()
      }
      if (!flags.json)
        terminal.out(
          result.urls === 0
            ? `nothing to take out of ${printableLine(key)}\n`
            : `${formatCount(result.urls, 'URL')} not in ${printableLine(key)} any more: ${formatCounts(result.statuses)}\n`,
        )
    }
    if (flags.json) terminal.out(formatJson({ to, ...result }))
    return result
  })
}

async function nameUrls(
  dir: string,
  flags: CleanFlags,
  statuses: readonly DbStatus[] | undefined,
  terminal: Terminal,
): Promise<CleanResult> {
  const result = await withCrawlToRead(
    { dir, flags, config: crawlConfig(flags), command: 'clean' },
    ({ reader }) => withOutput(flags, terminal, (remove) => cleanIndex(reader, remove, statuses)),
  )
  report(result, flags, terminal)
  return result
}

type Remove = Parameters<typeof cleanIndex>[1]

function withOutput(
  { out = STDOUT, json }: CleanFlags,
  terminal: Terminal,
  work: (remove: Remove) => Promise<CleanResult>,
): Promise<CleanResult> {
  if (out !== STDOUT) return writeFileWhole(out, (write) => work((urls) => write(lines(urls))))
  if (json) return work(async () => {})
  return work((urls) => {
    terminal.out(lines(urls))
    return terminal.outRoom()
  })
}

function lines(urls: readonly string[]): string {
  return urls.map((url) => `${url}\n`).join('')
}

function report(
  { urls, statuses }: CleanResult,
  { out = STDOUT, json }: CleanFlags,
  terminal: Terminal,
): void {
  const isFile = out !== STDOUT
  if (json) {
    terminal.out(formatJson({ out: isFile ? out : null, urls, statuses }))
    return
  }
  const text =
    urls === 0
      ? 'nothing to clean\n'
      : `${formatCount(urls, 'URL')}${isFile ? ` in ${out}` : ''}: ${formatCounts(statuses)}\n`
  if (isFile) terminal.out(text)
  else terminal.err(text)
}
