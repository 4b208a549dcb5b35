import { type Command, Option } from 'commander'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { CRAWL_STATUSES, type DbStatus, isDbStatus } from '../domain/crawldb/crawl-status.ts'
import type { QueueMode } from '../domain/url/queue-key.ts'
import type { FetchListOptions } from '../wiring/cycle-options.ts'
import { addOptionGroup } from './help-notes.ts'
import { collected, positiveNumber, someNumber } from './option-values.ts'

/** The names of the flags below. */
export const LIST_FLAGS = [
  ...['--top-n', '--max-count', '--count-mode', '--min-score', '--restrict-status', '--expr'],
] as const

/** The flags of `generate` and `crawl` that select URLs for a fetch list. */
export interface ListFlags {
  readonly topN?: number
  readonly maxCount?: number
  readonly countMode: 'host' | 'domain'
  readonly minScore?: number
  readonly restrictStatus?: readonly string[]
  readonly expr?: string
}

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

/** The flags of `generate` and `freegen` that divide a fetch list into parts. */
export interface PartitionFlags {
  readonly numFetchers: number
  readonly partition: QueueMode
}

export function addPartitionOptions(command: Command): Command {
  return command
    .option(
      '--num-fetchers <n>',
      'Number of parts of the fetch list; --partition decides which URLs share a part',
      positiveNumber,
      1,
    )
    .addOption(
      new Option('--partition <mode>', 'URLs with the same host, domain or IP address are in the same part')
        .choices(['host', 'domain', 'ip'])
        .default('host'),
    )
}

export function fetchListOptions(flags: ListFlags): FetchListOptions {
  const { topN, maxCount, countMode, minScore, restrictStatus, expr } = flags
  return {
    countMode,
    ...withoutUndefined({ topN, maxCount, minScore, restrictStatus: restrictStatus?.map(dbStatus), expr }),
  }
}

/** `gone` or `db_gone`. @throws ConfigurationError for a name that is not the status of a record */
export function dbStatus(name: string): DbStatus {
  const whole = name.startsWith('db_') ? name : `db_${name}`
  if (isDbStatus(whole)) return whole
  const known = CRAWL_STATUSES.filter(({ kind }) => kind === 'db').map((status) => status.name)
  throw new ConfigurationError(
    'OPTION_INVALID',
    `there is no status ${JSON.stringify(name)}; there are ${known.join(', ')}`,
  )
}
