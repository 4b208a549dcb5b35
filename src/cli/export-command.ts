import { Command, InvalidArgumentError, Option } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { AI_USES, type AiUse } from '../domain/robots/ai-use.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { collected, wholeNumber } from './option-values.ts'
import { excludedText, notLoadedNote } from './report-texts.ts'

interface ExportFlags extends CrawlFlags {
  readonly format: 'parquet' | 'jsonl' | 'warc' | 'markdown' | 'chunks'
  readonly out: string
  readonly clean?: true
  readonly chunkSize?: number
  readonly chunkOverlap?: number
  readonly segment?: readonly string[]
  readonly excludeRefused?: readonly AiUse[]
  readonly nearDuplicates: boolean
}

const HELP = `
Examples:
  orbweaver export crawl --format jsonl --out pages.jsonl
  orbweaver export crawl --format warc --out pages.warc.gz
  orbweaver export crawl --format warc --out s3://bucket/pages.warc.gz
  orbweaver export crawl --format markdown --out pages/
  orbweaver export crawl --format chunks --chunk-size 1500 --out chunks.jsonl
  orbweaver export crawl --out corpus.jsonl --exclude-refused train`

export function exportCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('export')
    .description('Export the newest version of each page to a file')
    .argument('<dir>', 'Crawl directory')
    .addOption(
      new Option(
        '--format <format>',
        'jsonl and parquet contain text and metadata, warc contains responses as fetched, markdown is the main content of each page, chunks are JSON lines with parts of it for language models',
      )
        .choices(['parquet', 'jsonl', 'warc', 'markdown', 'chunks'])
        .default('jsonl'),
    )
    .requiredOption(
      '--out <file>',
      'Output file, or an object such as s3://bucket/pages.warc.gz; for markdown, a directory, or one file for all pages if the name ends in .md',
    )
    .option(
      '--clean',
      'For jsonl: text without navigation and other boilerplate, and structured data of pages',
    )
    .option(
      '--chunk-size <characters>',
      'For chunks: maximum number of characters per chunk (default: 2000, about 500 tokens)',
      wholeNumber,
    )
    .option(
      '--chunk-overlap <characters>',
      'For chunks: characters repeated from the chunk before in the same section (default: 0)',
      wholeNumber,
    )
    .option('--segment <name>', 'Only pages of this segment; repeatable', collected)
    .option(
      '--exclude-refused <uses>',
      `Leave out pages whose site refuses one of these uses: ${AI_USES.join(', ')} (default: none)`,
      aiUses,
    )
    .option(
      '--no-near-duplicates',
      'Leave out pages that dedup --near found to be near-duplicates of another page; not for parquet',
    )
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes({ 1: 'no page to export', 3: 'failure or interruption; the file was not written' }, HELP),
    )
    .action(async (dir: string, flags: ExportFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      const { format, out, segment: segments, clean, chunkSize, chunkOverlap } = flags
      await using crawl = await openCrawl(dir, { ...openOptions(flags, 'export', terminal), readOnly: true })
      // Only WARC files depend on a setting, the operator.
      if (format === 'warc') terminal.err(notLoadedNote({ notLoaded: crawl.configNotLoaded }))
      const { excludeRefused } = flags
      let excluded: Readonly<Record<string, number>> = {}
      const onExcluded = (counts: typeof excluded) => {
        excluded = counts
      }
      const pages = await crawl.export({
        ...{ format, out, onExcluded, nearDuplicates: flags.nearDuplicates },
        signal: terminal.interrupted,
        ...withoutUndefined({ segments, excludeRefused, clean, chunkSize, chunkOverlap }),
      })
      const text = pages === 0 ? 'no page to export\n' : `${formatCount(pages, 'page')} in ${out}\n`
      const mayExclude = excludeRefused !== undefined || !flags.nearDuplicates
      const report = { format, out, pages, ...(mayExclude && { excluded }) }
      terminal.out(flags.json ? formatJson(report) : `${text}${excludedText(excluded)}`)
      if (pages === 0) exitWith(EXIT.nothing)
    })
}

/** `train,input`; the flag may be repeated. */
function aiUses(text: string, earlier: readonly AiUse[] = []): readonly AiUse[] {
  const uses = text.split(',').map((use) => use.trim())
  const unknown = uses.find((use) => !isAiUse(use))
  if (unknown !== undefined) throw new InvalidArgumentError(`Give one or more of ${AI_USES.join(', ')}.`)
  return [...earlier, ...uses.filter(isAiUse)]
}

function isAiUse(text: string): text is AiUse {
  return (AI_USES as readonly string[]).includes(text)
}
