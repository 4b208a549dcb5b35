import { Argument, Command, Option } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, sessionOptions } from './crawl-flags.ts'
import { addSparkMasterOption, type EngineFlags, engineConfig } from './engine-flags.ts'
import { helpNotes } from './help-notes.ts'

interface DbFlags extends CrawlFlags, Pick<EngineFlags, 'sparkMaster'> {
  readonly to: 'duckdb' | 'spark'
  readonly keep: boolean
}

export function dbCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('db')
    .description(
      'Convert the CrawlDb of a crawl directory to another engine. The old CrawlDb is used until the new one is complete, and then deleted.',
    )
    .addArgument(new Argument('<action>', 'What to do').choices(['convert']))
    .argument('<dir>', 'Crawl directory')
    .addOption(
      new Option('--to <engine>', 'Engine of the new CrawlDb')
        .choices(['duckdb', 'spark'])
        .makeOptionMandatory(),
    )
    .option('--keep', 'Keep the files of the old CrawlDb', false)
  return addSparkMasterOption(addCrawlOptions(command))
    .addHelpText(
      'after',
      helpNotes({ 1: 'the CrawlDb is on that engine already', 3: 'failure; the old CrawlDb is as before' }),
    )
    .action(async (_action: string, dir: string, flags: DbFlags) => {
      const { convertCrawlDb } = await import('../wiring/convert-crawl-db.ts')
      const { to, keep, json } = flags
      const session = sessionOptions(dir, flags, 'db convert')
      const settings = { ...session.settings, ...engineConfig(flags) }
      const result = await convertCrawlDb({ ...session, settings, to, keep })
      if (result === undefined) exitWith(EXIT.nothing)
      if (json) terminal.out(formatJson(result === undefined ? null : { to, kept: keep, ...result }))
      else if (result === undefined) terminal.out(`the CrawlDb of ${dir} is on ${NAMES[to]} already\n`)
      else {
        const { rows, old } = result
        terminal.out(
          `${formatCount(rows.urls, 'URL')} and ${formatCount(rows.links, 'link')} converted to ${NAMES[to]}; ${keep ? 'kept' : 'deleted'} ${old}\n`,
        )
      }
    })
}

const NAMES = { duckdb: 'DuckDB', spark: 'Spark' } as const
