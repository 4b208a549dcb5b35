import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { warcSink } from '../adapters/warc/warc-sink.ts'
import { wallClock } from '../base/clock.ts'
import { packageVersion } from '../base/package-version.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { CONTENT_STATUSES } from '../domain/segment/segment-rows.ts'
import { exportPages } from '../flows/cycle/export-pages.ts'
import { jsonlSink } from '../flows/cycle/jsonl-sink.ts'
import { markdownSink } from '../flows/cycle/markdown-sink.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { type CrawlSession, withCrawlToRead } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { writeFileWhole } from './file-writer.ts'
import { formatCount, formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { notLoadedNote } from './not-loaded-note.ts'
import { collected } from './option-values.ts'
import { chosenSegments } from './segment-choice.ts'

type Format = 'parquet' | 'jsonl' | 'warc' | 'markdown'

interface ExportFlags extends CrawlFlags {
  readonly format: Format
  readonly out: string
  readonly segment?: readonly string[]
}

const HELP = `
Examples:
  orbweaver export crawl --format jsonl --out pages.jsonl
  orbweaver export crawl --format warc --out pages.warc.gz
  orbweaver export crawl --format markdown --out pages/`

export function exportCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('export')
    .description('Writes the pages of a crawl, the newest version of each, for other programs.')
    .argument('<dir>', 'the crawl directory')
    .addOption(
      new Option(
        '--format <format>',
        'jsonl and parquet: text and data; warc: as fetched; markdown: a file for each page',
      )
        .choices(['parquet', 'jsonl', 'warc', 'markdown'])
        .default('jsonl'),
    )
    .requiredOption('--out <file>', 'the file; for markdown, a directory')
    .option('--segment <name>', 'only this one; may be repeated', collected)
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no page to export' }, HELP))
    .action(async (dir: string, flags: ExportFlags) => {
      const pages = await withCrawlToRead(
        { dir, flags, config: crawlConfig(flags), command: 'export' },
        (session) => {
          // The operator in a WARC file is a setting; other formats need none.
          if (flags.format === 'warc') terminal.err(notLoadedNote(session.source))
          return exportTo(session, flags)
        },
      )
      const { format, out } = flags
      terminal.out(
        flags.json
          ? formatJson({ format, out, pages })
          : pages === 0
            ? 'there is no page yet\n'
            : `${formatCount(pages, 'page')} in ${out}\n`,
      )
      if (pages === 0) exitWith(EXIT.nothing)
    })
}

async function exportTo(
  { segments, settings }: CrawlSession,
  { format, out, segment }: ExportFlags,
): Promise<number> {
  const names = await chosenSegments(segments, segment)
  if (names.length === 0) return 0
  switch (format) {
    case 'parquet':
      return segments.exportParquet(names, out, { statuses: ['fetch_success'] })
    case 'markdown': {
      const sink = markdownSink(async (path, text) => {
        const file = join(out, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      })
      return exportPages(segments, sink, { names, body: false })
    }
    case 'jsonl':
      return writeFileWhole(out, (write) => exportPages(segments, jsonlSink(write), { names, body: false }))
    case 'warc': {
      const { email, contactUrl } = settings.agent
      const operator = email ?? contactUrl
      const info = {
        fileName: basename(out),
        software: `orbweaver/${packageVersion()}`,
        now: wallClock.now(),
        ...withoutUndefined({ operator }),
      }
      // As fetched, readable or not.
      const statuses = CONTENT_STATUSES
      return writeFileWhole(out, (write) => exportPages(segments, warcSink(write, info), { names, statuses }))
    }
  }
}
