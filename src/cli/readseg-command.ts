import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { formatCount, formatJson, formatNumber, formatTime, printableLine } from '../base/format-values.ts'
import type { SegmentInfo, SegmentPage } from '../domain/segment/segment-store.ts'
import { dumpSegments, getPage, readablePage, readSegmentInfos } from '../flows/cycle/read-segment.ts'
import type { CrawlSession } from '../wiring/crawl-session.ts'
import { writeFileWhole } from '../wiring/write-file-whole.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { storedUrl } from './option-values.ts'
import { textTable } from './text-table.ts'

interface ReadSegFlags extends CrawlFlags {
  readonly list: boolean
  readonly get?: string
  readonly dump?: string
}

const HELP = `
Examples:
  orbweaver readseg crawl --list
  orbweaver readseg crawl --get https://example.org/ --json
  orbweaver readseg crawl 20261115180830 --dump pages.jsonl`

export function readsegCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('readseg')
    .argument('<dir>', 'Crawl directory')
    .argument('[segment]', 'Name of a segment (default: all)')
    .option('--list', 'List the segments with their progress (the default)', false)
    .option('--get <url>', 'Show everything that is stored for one URL')
    .option('--dump <file>', 'Write all pages to a file, one JSON object per line')
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no matching pages' }, HELP))
    .action(async (dir: string, named: string | undefined, flags: ReadSegFlags) => {
      if ([flags.list, flags.get, flags.dump].filter(Boolean).length > 1)
        throw new ConfigurationError('OPTION_INVALID', 'use only one of --list, --get and --dump')
      const { chosenSegments, withCrawlToRead } = await import('../wiring/crawl-session.ts')
      const { document, text, found } = await withCrawlToRead(
        sessionOptions(dir, flags, 'readseg', terminal),
        async ({ segments }) => {
          const names = await chosenSegments(segments, named === undefined ? [] : [named])
          return responseOf(segments, named, names, flags)
        },
      )
      terminal.out(flags.json ? formatJson(document) : text)
      if (!found) exitWith(EXIT.nothing)
    })
}

async function responseOf(
  segments: CrawlSession['segments'],
  named: string | undefined,
  names: readonly string[],
  flags: ReadSegFlags,
) {
  if (flags.get !== undefined) {
    const url = storedUrl(flags.get)
    const pages = await getPage(segments, url, named === undefined ? undefined : names[0])
    const text =
      pages.length === 0 ? `${printableLine(url)} is not in any segment\n` : pages.map(pageText).join('\n')
    return { document: pages.map(readablePage), text, found: pages.length > 0 }
  }
  if (flags.dump !== undefined) {
    const pages = await writeFileWhole(flags.dump, (write) => dumpSegments(segments, names, write))
    const text = `${formatCount(pages, 'page')} written to ${flags.dump}\n`
    return { document: { file: flags.dump, pages }, text, found: pages > 0 }
  }
  const infos = await readSegmentInfos(segments, names)
  return { document: { segments: infos }, text: listText(infos), found: infos.length > 0 }
}

function listText(infos: readonly SegmentInfo[]): string {
  if (infos.length === 0) return 'the crawl has no segments\n'
  const rows = infos.map(({ name, generated, fetched, parsed, firstFetchAt, lastFetchAt, complete }) => [
    name,
    formatNumber(generated),
    formatNumber(fetched),
    formatNumber(parsed),
    firstFetchAt === undefined ? '-' : formatTime(firstFetchAt),
    lastFetchAt === undefined ? '-' : formatTime(lastFetchAt),
    complete ? 'complete' : 'incomplete',
  ])
  return textTable([['segment', 'listed', 'fetched', 'parsed', 'first', 'last', ''], ...rows])
}

function pageText({ segment, fetch, parseData, parseText }: SegmentPage): string {
  const lines = [
    `segment ${segment}`,
    ...(fetch === undefined
      ? ['  on the fetch list, not fetched yet']
      : [
          `  ${fetch.status}, ${fetch.protocolStatus}, ${formatTime(fetch.fetchedAt)}`,
          ...(fetch.httpStatus === undefined
            ? []
            : [`  HTTP ${fetch.httpStatus}${fetch.address ? ` from ${fetch.address}` : ''}`]),
          ...(fetch.redirectTo === undefined
            ? []
            : [`  redirects to ${printableLine(fetch.redirectTo, 2_000)}`]),
          ...(fetch.reason === undefined ? [] : [`  ${printableLine(fetch.reason)}`]),
        ]),
    ...(parseData === undefined
      ? []
      : [`  “${printableLine(parseData.title)}”, ${formatCount(parseData.outlinks.length, 'link')}`]),
    ...(parseText === undefined ? [] : [`  ${printableLine(parseText.text, 300)}`]),
  ]
  return `${lines.join('\n')}\n`
}
