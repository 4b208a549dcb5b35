import { Command } from 'commander'
import { buildRules } from '../adapters/config/build-rules.ts'
import { rememberPrivateHosts } from '../adapters/http/private-hosts-file.ts'
import { wallClock } from '../base/clock.ts'
import { hostOf } from '../domain/url/host-of.ts'
import { createJudge } from '../flows/cycle/create-judge.ts'
import { type InjectSummary, inject } from '../flows/cycle/inject.ts'
import { seedSources } from '../flows/cycle/seed-sources.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { type CrawlSession, withNewCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatCounts, formatJson, formatNumber, printableLine } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import type { Terminal } from './terminal.ts'

interface InjectFlags extends CrawlFlags {
  readonly overwrite: boolean
  readonly update: boolean
  readonly filter: boolean
  readonly norm: boolean
}

const HELP = `
A line is a URL, then, after tabs, key=value items: nutch.score, nutch.fetchInterval and nutch.fetchInterval.fixed (seconds; also
without "nutch."), anything else is kept as metadata. Blank lines and lines that begin with # are passed over.

Examples:
  orbweaver inject crawl https://example.org/
  orbweaver inject crawl seeds.txt more-seeds/
  cat seeds.txt | orbweaver inject crawl -`

export function injectCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('inject')
    .description('Adds seeds to a crawl. URLs that it knows stay as they are.')
    .argument('<dir>', 'the crawl directory; created on first use')
    .argument('<seeds...>', 'files, directories of files, URLs, or - for standard input')
    .option('--overwrite', 'known URLs start afresh; their history is lost', false)
    .option('--update', 'known URLs take over the score, interval and metadata of their line', false)
    .option('--no-filter', 'take URLs that the rules would reject')
    .option('--no-norm', 'take URLs as they are written')
  return addCrawlOptions(command)
    .addHelpText('after', helpNotes({ 1: 'no URL was given', 3: 'failure; nothing was changed' }, HELP))
    .action(async (dir: string, seeds: string[], flags: InjectFlags) => {
      const summary = await withNewCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'inject' },
        (session) => injectSeeds(session, seeds, flags, terminal),
      )
      terminal.out(flags.json ? formatJson(summary) : injectReport(dir, summary))
      if (summary.seeds === 0) exitWith(EXIT.nothing)
    })
}

/** Also the first step of `crawl`. */
export async function injectSeeds(
  { db, settings, path }: Pick<CrawlSession, 'db' | 'settings' | 'path'>,
  names: readonly string[],
  flags: Pick<InjectFlags, 'overwrite' | 'update' | 'filter' | 'norm'>,
  terminal: Terminal,
): Promise<InjectSummary> {
  // Seeds make the scope, so they are not judged by it.
  const { normalize, filter, schedule, scoring } = buildRules(settings, { clock: wallClock })
  const existing = flags.overwrite ? 'overwrite' : flags.update ? 'update' : 'keep'
  const sources = seedSources(names, terminal.input, (directory) =>
    terminal.err(`note: ${printableLine(directory)} is a directory in a directory, and passed over\n`),
  )
  const known = (await db.seeds()).map(hostOf)
  const summary = await inject(db, sources, {
    rules: { schedule, scoring, existing },
    judge: createJudge({ ...(flags.norm && { normalize }), ...(flags.filter && { filter }) }),
    now: wallClock.now(),
  })
  await rememberPrivateHosts(path, known, (await db.seeds()).map(hostOf))
  return summary
}

export function injectReport(dir: string, summary: InjectSummary): string {
  const { seeds, injected, merged, repeated, rejected, badItems, examples } = summary
  if (seeds === 0) return 'no URL was given\n'
  const parts = [
    `${formatCount(injected, 'new URL')} in ${dir}`,
    ...(merged > 0 ? [`${formatNumber(merged)} known`] : []),
    ...(repeated > 0 ? [`${formatNumber(repeated)} repeated`] : []),
    ...(Object.keys(rejected).length > 0 ? [`rejected: ${formatCounts(rejected)}`] : []),
    ...(badItems > 0 ? [`${formatCount(badItems, 'item')} left out`] : []),
  ]
  const problems = examples.map(
    ({ at, url, reason }) => `  ${printableLine(at)}  ${printableLine(url)}  ${printableLine(reason)}`,
  )
  return `${[parts.join('; '), ...problems].join('\n')}\n`
}
