import { Command, Option } from 'commander'
import { formatCount, formatJson, formatNumber, printableLine } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { someNumber } from './option-values.ts'
import type { PushFlags, PushReport } from './push-starts.ts'
import { addRedisOptions, CRAWL_ARGUMENT } from './redis-flags.ts'

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
      const { pushStarts } = await import('./push-starts.ts')
      const report = await pushStarts(spider, urls, flags, terminal)
      terminal.out(flags.json ? formatJson(report) : reportText(report))
      if (report.rejected > 0) exitWith(EXIT.usage)
      else if (report.lines === 0) exitWith(EXIT.nothing)
    })
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
