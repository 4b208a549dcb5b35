import { Command, Option } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { collected } from './option-values.ts'
import { notLoadedNote } from './report-texts.ts'

interface ExportFlags extends CrawlFlags {
  readonly format: 'parquet' | 'jsonl' | 'warc' | 'markdown'
  readonly out: string
  readonly segment?: readonly string[]
}

const HELP = `
Examples:
  orbweaver export crawl --format jsonl --out pages.jsonl
  orbweaver export crawl --format warc --out pages.warc.gz
  orbweaver export crawl --format warc --out s3://bucket/pages.warc.gz
  orbweaver export crawl --format markdown --out pages/`

export function exportCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('export')
    .description('Export the newest version of each page to a file')
    .argument('<dir>', 'Crawl directory')
    .addOption(
      new Option(
        '--format <format>',
        'jsonl and parquet contain text and metadata, warc contains responses as fetched, markdown is one file per page',
      )
        .choices(['parquet', 'jsonl', 'warc', 'markdown'])
        .default('jsonl'),
    )
    .requiredOption(
      '--out <file>',
      'Output file, or an object such as s3://bucket/pages.warc.gz; for markdown, a directory',
    )
    .option('--segment <name>', 'Only pages of this segment; repeatable', collected)
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no page to export' }, HELP))
    .action(async (dir: string, flags: ExportFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      const { format, out, segment: segments } = flags
      await using crawl = await openCrawl(dir, { ...openOptions(flags, 'export', terminal), readOnly: true })
      // Only WARC files depend on a setting, the operator.
      if (format === 'warc') terminal.err(notLoadedNote({ notLoaded: crawl.configNotLoaded }))
      const pages = await crawl.export({ format, out, ...withoutUndefined({ segments }) })
      const text = pages === 0 ? 'no page to export\n' : `${formatCount(pages, 'page')} in ${out}\n`
      terminal.out(flags.json ? formatJson({ format, out, pages }) : text)
      if (pages === 0) exitWith(EXIT.nothing)
    })
}
