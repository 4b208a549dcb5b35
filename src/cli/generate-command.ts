import { Command, Option } from 'commander'
import { resolveBySystem } from '../adapters/http/resolve.ts'
import { wallClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { HostWaits } from '../domain/crawldb/crawl-db.ts'
import type { GenerateRequest, GenerateResult } from '../domain/crawldb/crawl-db-requests.ts'
import { CRAWL_STATUSES, type DbStatus, isDbStatus } from '../domain/crawldb/crawl-status.ts'
import type { QueueMode } from '../domain/url/queue-key.ts'
import { createJudge } from '../flows/cycle/create-judge.ts'
import type { CommandContext } from './command-context.ts'
import { addCrawlOptions, type CrawlFlags, crawlConfig } from './crawl-flags.ts'
import { type CrawlSession, withCrawl } from './crawl-session.ts'
import { EXIT } from './exit-code.ts'
import { formatCount, formatCounts, formatJson, formatNumber } from './format-values.ts'
import { addOptionGroup, helpNotes } from './help-notes.ts'
import { hostWaitLines } from './host-wait-text.ts'
import { collected, positiveNumber, someNumber, wholeNumber } from './option-values.ts'

/** How fetch lists are made; `crawl` has these flags too. */
export interface ListFlags {
  readonly topN?: number
  readonly maxCount?: number
  readonly countMode: 'host' | 'domain'
  readonly minScore?: number
  readonly restrictStatus?: readonly string[]
  readonly expr?: string
}

interface GenerateFlags extends CrawlFlags, ListFlags {
  readonly numFetchers: number
  readonly addDays: number
  readonly filter: boolean
  readonly norm: boolean
  readonly maxNumSegments: number
  readonly partition: QueueMode
}

const HELP = `
What is due and on no other fetch list, best score first. It is marked, so that it is on one list at a time, until updatedb has its
result or the segment is abandoned.

Examples:
  orbweaver generate crawl --top-n 1000
  orbweaver generate crawl --max-count 100 --count-mode domain
  orbweaver generate crawl --expr "score > 0.5 AND host LIKE '%.org'"`

export function addListOptions(command: Command): Command {
  return addOptionGroup(command, 'Fetch list', (group) =>
    group
      .option('--top-n <n>', 'Maximum number of URLs per segment (default: none)', positiveNumber)
      .option(
        '--max-count <n>',
        'Maximum number of URLs per host or domain in a segment (default: none)',
        positiveNumber,
      )
      .addOption(
        new Option('--count-mode <mode>', 'Unit of --max-count').choices(['host', 'domain']).default('host'),
      )
      .option('--min-score <score>', 'Minimum score of a URL (default: none)', someNumber)
      .option('--restrict-status <status>', 'Only records with this status; repeatable', collected)
      .option('--expr <condition>', 'Only records matching this SQL condition'),
  )
}

export function generateCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('generate')
    .description('Makes a fetch list, a segment, of the URLs that are due.')
    .argument('<dir>', 'the crawl directory')
  return addCrawlOptions(addListOptions(command))
    .option('--num-fetchers <n>', 'parts of the list; a host is in one of them', positiveNumber, 1)
    .option('--add-days <n>', 'take what is due so many days from now', wholeNumber, 0)
    .option('--max-num-segments <n>', 'segments made in one go', positiveNumber, 1)
    .addOption(
      new Option('--partition <mode>', 'what keeps URLs in one part')
        .choices(['host', 'domain', 'ip'])
        .default('host'),
    )
    .option('--no-filter', 'do not ask the URL rules')
    .option('--no-norm', 'do not normalise')
    .addHelpText('after', helpNotes({ 1: 'no URL is due', 3: 'failure; nothing was changed' }, HELP))
    .action(async (dir: string, flags: GenerateFlags) => {
      const result = await withCrawl(
        { dir, flags, config: crawlConfig(flags), command: 'generate' },
        async (session): Promise<GenerateReport> => {
          const request = generateRequest(session, flags)
          const generated = await session.db.generate(request)
          const due = await session.db.countDue(request.now, request.maxIntervalSeconds)
          const rejected = Object.values(generated.rejected).reduce((sum, n) => sum + n, 0)
          const waiting = await session.db.hostWaits(request.now)
          return { ...generated, leftOut: Math.max(0, due - rejected), waiting }
        },
      )
      const document = { ...result, segments: result.segments.map(({ name }) => name), urls: result.segments }
      terminal.out(flags.json ? formatJson(document) : generateReport(result))
      if (result.selected === 0) exitWith(EXIT.nothing)
    })
}

function generateRequest({ rules }: CrawlSession, flags: GenerateFlags): GenerateRequest {
  const { normalize, filter, schedule, scoring } = rules
  return {
    ...listRequest(flags),
    now: wallClock.now(),
    maxIntervalSeconds: schedule.maxIntervalSeconds,
    scoring,
    numFetchers: flags.numFetchers,
    addDays: flags.addDays,
    maxNumSegments: flags.maxNumSegments,
    partition: flags.partition,
    resolve: firstAddress,
    judge: createJudge({ ...(flags.norm && { normalize }), ...(flags.filter && { filter }) }),
  }
}

async function firstAddress(host: string): Promise<string | undefined> {
  const found = await resolveBySystem(host)
  return found.ok ? found.addresses[0]?.address : undefined
}

export function listRequest(
  flags: ListFlags,
): Omit<GenerateRequest, 'now' | 'maxIntervalSeconds' | 'scoring'> {
  const { topN, maxCount, countMode, minScore, restrictStatus, expr } = flags
  return {
    countMode,
    ...withoutUndefined({ topN, maxCount, minScore }),
    ...(restrictStatus !== undefined && { restrictStatus: restrictStatus.map(dbStatus) }),
    ...withoutUndefined({ expr }),
  }
}

/** @throws ConfigurationError when no record can have the status */
export function dbStatus(name: string): DbStatus {
  const whole = name.startsWith('db_') ? name : `db_${name}`
  if (isDbStatus(whole)) return whole
  const known = CRAWL_STATUSES.filter(({ kind }) => kind === 'db').map((status) => status.name)
  throw new ConfigurationError(
    'OPTION_INVALID',
    `there is no status ${JSON.stringify(name)}; there are ${known.join(', ')}`,
  )
}

interface GenerateReport extends GenerateResult {
  /** Due URLs that `--top-n`, `--max-count`, `--min-score`, `--restrict-status` or `--expr` left for later. */
  readonly leftOut: number
  /** Hosts with due URLs that must wait. */
  readonly waiting: HostWaits
}

function generateReport({ segments, selected, rejected, leftOut, waiting }: GenerateReport): string {
  const turnedDown = [
    ...(Object.keys(rejected).length > 0 ? [`; rejected: ${formatCounts(rejected)}`] : []),
    ...(leftOut > 0 ? [`; ${formatCount(leftOut, 'due URL')} left out by the limits of this list`] : []),
  ].join('')
  if (selected === 0) {
    const nothing = `${leftOut > 0 ? 'no URL is selected' : 'nothing is due'}${turnedDown}`
    return `${[nothing, ...hostWaitLines(waiting)].join('\n')}\n`
  }
  const lines = segments.map(({ name, urls }) => `segment ${name}: ${formatCount(urls, 'URL')}`)
  return `${lines.join('\n')}\n${formatNumber(selected)} selected${turnedDown}\n`
}
