import { Command, Option } from 'commander'
import { formatCount, formatJson } from '../base/format-values.ts'
import type { RankedLinks } from '../wiring/graph-steps.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, openOptions } from './crawl-flags.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber, someNumber } from './option-values.ts'

interface RankFlags extends CrawlFlags {
  readonly by: 'page' | 'host'
  readonly damping: number
  readonly iterations: number
  readonly tolerance: number
  readonly updateScores: boolean
  readonly clearScore: number
}

const HELP = `
LinkRank is PageRank on the web graph that orbweaver webgraph builds. The mean of all scores is 1. Pages without links pass their rank on to all pages in equal parts.

With --update-scores, generate selects the pages with the highest rank first, and index uses it as the boost of documents. Set scoring to 'link' in the configuration, so that updatedb does not add OPIC scores to it.

Examples:
  orbweaver linkrank crawl
  orbweaver linkrank crawl --by host
  orbweaver linkrank crawl --update-scores
  orbweaver nodes crawl --top 20`

/** Nutch's linkrank and scoreupdater. */
export function linkrankCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('linkrank')
    .description('Compute the LinkRank of pages or hosts from the web graph')
    .argument('<dir>', 'Crawl directory')
    .addOption(new Option('--by <unit>', 'What to rank').choices(['page', 'host']).default('page'))
    .option('--damping <factor>', 'Share of its rank that a node passes on to its links', someNumber, 0.85)
    .option('--iterations <n>', 'Maximum number of iterations', positiveNumber, 50)
    .option(
      '--tolerance <share>',
      'Stop when the ranks together change by less than this share of their sum',
      someNumber,
      0.0001,
    )
    .option('--update-scores', 'Set the scores of the CrawlDb to the ranks of the pages', false)
    .option(
      '--clear-score <score>',
      'With --update-scores: score of URLs that are not in the graph',
      someNumber,
      0,
    )
  return addCrawlOptions(command)
    .addHelpText(
      'after',
      helpNotes(
        {
          1: 'the graph is empty',
          3: 'failure or interruption; nothing was changed, unless the message says so',
        },
        HELP,
      ),
    )
    .action(async (dir: string, flags: RankFlags) => {
      const { openCrawl } = await import('../wiring/open-crawl.ts')
      await using crawl = await openCrawl(dir, openOptions(flags, 'linkrank', terminal))
      const { by, damping, iterations, tolerance, updateScores, clearScore } = flags
      const result = await crawl.rankLinks({
        ...{ by, damping, iterations, tolerance, updateScores, clearScore, signal: terminal.interrupted },
        onIteration: (iteration, change) =>
          terminal.setStatus(() => `iteration ${iteration}, change ${change.toExponential(1)}`),
      })
      terminal.setStatus(undefined)
      terminal.out(flags.json ? formatJson(result) : rankText(result, by, dir))
      if (result.nodes === 0) exitWith(EXIT.nothing)
    })
}

function rankText({ nodes, links, ...rank }: RankedLinks, by: 'page' | 'host', dir: string): string {
  if (nodes === 0) return `the web graph is empty: run orbweaver webgraph ${dir} first\n`
  const { iterations, change, converged, scores } = rank
  const end = converged
    ? ''
    : '; not converged: raise --iterations or --tolerance if the order of the nodes matters'
  const lines = [
    `${formatCount(nodes, by)} and ${formatCount(links, 'link')} ranked in ${formatCount(iterations, 'iteration')} (last change ${change.toExponential(1)})${end}`,
  ]
  if (scores !== undefined)
    lines.push(
      `scores of ${formatCount(scores.ranked, 'URL')} set to their rank, ${formatCount(scores.cleared, 'URL')} not in the graph cleared`,
    )
  return `${lines.join('\n')}\n`
}
