import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { Command } from 'commander'
import { buildRules } from '../adapters/config/build-rules.ts'
import { loadSettings } from '../adapters/config/load-settings.ts'
import { settingsSource } from '../adapters/config/settings-source.ts'
import { type FleetNotes, readFleetNotes } from '../adapters/crawl-directory/fleet-file.ts'
import { ParquetSegments } from '../adapters/duckdb/segments/parquet-segments.ts'
import { nextSecond, steadyClock } from '../base/clock.ts'
import { ConfigurationError } from '../base/crawl-error.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { FetchProgress } from '../flows/cycle/fetch-progress.ts'
import type { FetchResult } from '../flows/cycle/fetch-result.ts'
import { workOnSegment } from '../flows/cycle/work-on-segment.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './exit-code.ts'
import { addFetchOptions, type FetchFlags, fetchConfig } from './fetch-flags.ts'
import { type FetchSettings, fetchOptions, withWeb } from './fetch-session.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import { checkFleetFlags, type FleetSession, fetchStatus, fleetCrawl, withFleet } from './fleet-session.ts'
import { formatBytes, formatCounts, formatDuration, formatJson } from './format-values.ts'
import { helpNotes } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
import { redisOption } from './redis-session.ts'
import type { Terminal } from './terminal.ts'
import { onceOnly, workOnOffers } from './work-on-offers.ts'

interface WorkerFlags extends FetchFlags {
  readonly dir: string
  readonly redis?: string | true
  readonly once: boolean
  readonly parse: boolean
  readonly memory?: number
  readonly json: boolean
}

const HELP = `
Fetches for a crawl directory that several machines share, together with orbweaver fetch <dir> --redis, which offers the fetch list. It takes some of
the hosts, writes what came of them into the directory, and waits for the next list. Any number of workers may come and go at any time.
Ctrl-C lets it finish what is under way and give back the rest. If it is killed, the others go on with what it had after half a minute.

All machines must see the directory, and the same configuration: orbweaver.config.json in it, or --config.

Examples:
  orbweaver worker --dir /shared/crawl --redis redis://queue.example.org:6379/0
  orbweaver worker --dir /shared/crawl --redis --once --threads 100`

export function workerCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('worker')
    .description('Fetches with the fleet of a crawl directory.')
    .requiredOption('--dir <dir>', 'the crawl directory, on storage that all workers see')
    .addOption(redisOption())
    .option('--once', 'end when the first fetch list is done or withdrawn', false)
    .option('--no-parse', 'store pages, and parse them later with orbweaver parse')
  return addFetchOptions(command)
    .option('--json', 'print one JSON document', false)
    .option('--memory <megabytes>', 'what writing segments may use', positiveNumber)
    .addHelpText('after', helpNotes({ 0: 'some pages were fetched', 1: 'no pages to fetch' }, HELP))
    .action(async (flags: WorkerFlags) => {
      const results = await workForDirectory(flags, terminal)
      const document = { segments: results }
      terminal.out(flags.json ? formatJson(document) : reportText(results))
      if (results.length === 0) exitWith(EXIT.nothing)
    })
}

async function workForDirectory(flags: WorkerFlags, terminal: Terminal): Promise<FetchResult[]> {
  const { dir, redis = true } = flags
  checkFleetFlags(flags)
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ConfigurationError(
      'OPTION_INVALID',
      `there is no directory ${dir}; give the crawl directory as it is seen from here`,
    )
  const source = settingsSource({
    ...withoutUndefined({ named: flags.config }),
    crawlDirectory: dir,
    currentDirectory: process.cwd(),
    env: process.env,
    flags: { ...fetchConfig(flags), ...withoutUndefined({ memoryMb: flags.memory }) },
  })
  const settings = await loadSettings(source)
  // A mistake in the rules is told before anything is waited for.
  buildRules(settings, { clock: steadyClock })
  const notes = await firstNotes(dir, terminal)
  if (notes === undefined) return []
  let progress: FetchProgress | undefined
  const request = { redis, crawl: fleetCrawl(notes), settings, status: () => fetchStatus(progress) }
  return withFleet(request, terminal, async (fleet) => {
    const memory = settings.memoryMb === undefined ? {} : { memoryMb: settings.memoryMb }
    const segments = await ParquetSegments.open(dir, { ...memory, writer: writerName() })
    try {
      return await workOnOffers(fleet, terminal, flags.once, async (segment, over) => {
        const { seeds, hosts } = (await readFleetNotes(dir)) ?? notes
        const session = {
          path: dir,
          settings,
          source,
          seeds,
          rules: buildRules(settings, { clock: fleet.clock, seeds }),
        }
        return fetchOffered(segments, segment, { fleet, session, hosts, flags, terminal }, over, (latest) => {
          progress = latest
        })
      })
    } finally {
      segments.close()
    }
  })
}

interface Work {
  readonly fleet: FleetSession
  readonly session: FetchSettings & { readonly path: string }
  readonly hosts: FleetNotes['hosts']
  readonly flags: WorkerFlags
  readonly terminal: Terminal
}

async function fetchOffered(
  segments: ParquetSegments,
  name: string,
  { fleet, session, hosts, flags, terminal }: Work,
  over: AbortSignal,
  onLatest: (progress: FetchProgress) => void,
): Promise<FetchResult> {
  const line = new FetchStatusLine(terminal)
  const onProgress = (progress: FetchProgress) => {
    onLatest(progress)
    line.update(progress)
  }
  const options = { ...fetchOptions(session, flags), onProgress }
  return withWeb(session, flags, terminal, fleet, (web) =>
    workOnSegment(segments, name, { ...web, ...fleet, fleet: fleet.frontier, hosts }, options, over),
  ).finally(() => line.clear())
}

/** `undefined`: it was interrupted before there were any. */
async function firstNotes(dir: string, terminal: Terminal): Promise<FleetNotes | undefined> {
  const tell = onceOnly(() => terminal.err(`waiting for orbweaver fetch ${dir} --redis\n`))
  while (!terminal.interrupted.aborted) {
    const notes = await readFleetNotes(dir)
    if (notes !== undefined) return notes
    tell()
    await nextSecond(steadyClock, terminal.interrupted)
  }
  return undefined
}

/** No two workers, on whatever machine, may give their parts the same name. */
function writerName(): string {
  return `w${randomBytes(6).toString('hex')}`
}

function reportText(results: readonly FetchResult[]): string {
  return results.length === 0 ? 'nothing was fetched\n' : results.map(reportOf).join('')
}

function reportOf({ segment, statuses, bytes, durationMs }: FetchResult): string {
  return `segment ${segment}: ${formatCounts(statuses)}\n${formatBytes(bytes)} in ${formatDuration(durationMs)}\n`
}
