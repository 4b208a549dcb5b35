import { Command } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { type CrawlSession, withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { didNothing, indexJson, indexReport } from './index-report.ts'
import { EMBEDDED, indexCrawl, indexTargets } from './index-session.ts'
import { collected } from './option-values.ts'
import { chosenSegments } from './segment-choice.ts'

interface IndexFlags extends CrawlFlags {
  readonly to?: readonly string[]
  readonly segments?: readonly string[]
  readonly all: boolean
  readonly deleteGone: boolean
}

const HELP = `
Each index is told what changed since it was last told: pages that were fetched since, pages that are gone, redirect or are duplicates now, and
pages that links call otherwise. Interrupted or killed, the same command goes on. Run dedup and invertlinks before it: duplicates are left
out, and what links call a page is searched, too. Pages that say noindex are never in an index.

Examples:
  orbweaver index crawl
  orbweaver index crawl --to sqlite --to solr:https://localhost:8983/solr/pages
  orbweaver index crawl --to elastic:https://localhost:9200/pages --all
  orbweaver index crawl --to jsonl:changes.jsonl`

export function indexCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('index')
    .description('Brings a search index up to date with the crawl.')
    .argument('<dir>', 'the crawl directory')
    .option(
      '--to <index>',
      'sqlite, solr:URL, elastic:URL, opensearch:URL, jsonl:FILE or csv:FILE; may be repeated (default: sqlite, in the crawl directory)',
      collected,
    )
    .option('--segments <names...>', 'only pages whose newest visit is in these')
    .option('--all', 'tell everything again, changed or not', false)
    .option('--delete-gone', 'take out pages that are gone, redirect or are duplicates; the default', true)
    .option('--no-delete-gone', 'leave them in')
  return addCrawlOptions(command)
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
      const results = await withCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'index' },
        async (session) => {
          await requirePages(session, dir)
          const segments =
            flags.segments === undefined
              ? {}
              : { segments: await chosenSegments(session.segments, flags.segments) }
          const targets = indexTargets(session, flags.to ?? [EMBEDDED], terminal)
          const { all, deleteGone } = flags
          return indexCrawl(session, { targets, all, deleteGone, ...segments }, terminal)
        },
      )
      terminal.out(flags.json ? formatJson(indexJson(results)) : indexReport(results))
      if (results.some(({ ended }) => ended !== 'done')) exitWith(EXIT.failed)
      else if (didNothing(results)) exitWith(EXIT.nothing)
    })
}

/** @throws ConfigurationError when there can be nothing to index */
async function requirePages({ segments, reader }: CrawlSession, dir: string): Promise<void> {
  if ((await segments.list()).length > 0) return
  const { rows } = await reader.sql('SELECT count(*) FROM spider_state')
  throw new ConfigurationError(
    'OPTION_INVALID',
    Number(rows[0]?.[0]) > 0
      ? `${dir} is the crawl of a spider that kept items, not pages, so there is nothing to index: run it with --keep-pages; its items are to be had with orbweaver items ${dir}`
      : `there is no page in ${dir} yet: orbweaver crawl fetches some`,
  )
}
