import { Command } from 'commander'
import { formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { didNothing, indexJson, indexReport } from './index-report.ts'
import { addLogOptions, type LogFlags } from './log-flags.ts'
import { collected } from './option-values.ts'

interface IndexFlags extends CrawlFlags, LogFlags {
  readonly to?: readonly string[]
  readonly segments?: readonly string[]
  readonly all: boolean
  readonly deleteGone: boolean
}

const HELP = `
Each index gets the changes since its last update: new and changed pages, changed anchor text, and pages that are gone, redirect or
are duplicates. The links of new pages are inverted first, links within a host included, so that anchor text is searched. Run dedup
first, so that duplicates are left out. Pages with noindex are never indexed. After an interruption, the same command resumes.

Examples:
  orbweaver index crawl
  orbweaver index crawl --to sqlite --to solr:https://localhost:8983/solr/pages
  orbweaver index crawl --to elastic:https://localhost:9200/pages --all
  orbweaver index crawl --to jsonl:changes.jsonl
  orbweaver index crawl --to 'redis-stream:redis://localhost:6379/0?stream=pages'`

export function indexCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('index')
    .description('Update a search index with the changes since its last update')
    .argument('<dir>', 'Crawl directory')
    .option(
      '--to <index>',
      'Index to update: sqlite, solr:URL, elastic:URL, opensearch:URL, jsonl:FILE, csv:FILE, redis-stream:ADDRESS?stream=NAME, or a name of index.targets; repeatable (default: sqlite, in the crawl directory)',
      collected,
    )
    .option('--segments <names...>', 'Only pages whose newest version is in these segments')
    .option('--all', 'Index every page again, changed or not', false)
    .option('--delete-gone', 'Delete gone, redirected and duplicate pages from the index (default)', true)
    .option('--no-delete-gone', 'Do not delete such pages')
  return addLogOptions(addCrawlOptions(command))
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'the index is up to date',
          3: 'an index failed, or interruption; run the command again to resume',
        },
        HELP,
      ),
    )
    .action(async (dir: string, flags: IndexFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, openOptions(flags, 'index', terminal))
      const { to, segments, all, deleteGone } = flags
      const results = await crawl.index({
        ...{ all, deleteGone, signal: terminal.interrupted },
        ...withoutUndefined({ to, segments }),
      })
      terminal.out(flags.json ? formatJson(indexJson(results)) : indexReport(results))
      if (results.some(({ ended }) => ended !== 'done')) exitWith(EXIT.failed)
      else if (didNothing(results)) exitWith(EXIT.nothing)
    })
}
