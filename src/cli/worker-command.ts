import { Command } from 'commander'
import { formatJson } from '../base/format-values.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { CommandContext } from './command-context.ts'
import { EXIT } from './command-context.ts'
import { addMemoryOption, addSegmentsOption, type SegmentsFlag, segmentsConfig } from './crawl-flags.ts'
import { addFetchOptions, type FetchFlags, fetchConfig, fetchRunOptions } from './fetch-flags.ts'
import { fetchReport } from './fetch-report.ts'
import { FetchStatusLine } from './fetch-status-line.ts'
import { addJsonOption, helpNotes } from './help-notes.ts'
import { addLogOptions, type LogFlags, logConfig } from './log-flags.ts'
import { redisOption } from './redis-flags.ts'

interface WorkerFlags extends FetchFlags, LogFlags, SegmentsFlag {
  readonly dir: string
  readonly redis?: string | true
  readonly once: boolean
  readonly parse: boolean
  readonly memory?: number
  readonly json: boolean
}

const HELP = `
Fetches for a crawl directory that several machines share. orbweaver fetch <dir> --redis offers the fetch list; each worker takes some of
the hosts, writes their pages to the directory, and waits for the next list. Workers may start and stop at any time. On Ctrl-C a worker
finishes its running requests and requeues the others. The hosts of a killed worker go to other workers after half a minute.

All machines must see the directory and the same configuration: orbweaver.config.json in it, or --config. With segments in an object
store (--segments), each worker has a directory of its own.

Examples:
  orbweaver worker --dir /shared/crawl --redis redis://queue.example.org:6379/0
  orbweaver worker --dir /shared/crawl --redis --once --threads 100
  orbweaver worker --dir work --segments s3://bucket/crawl --redis redis://queue.example.org:6379/0`

export function workerCommand({ terminal, exitWith }: CommandContext): Command {
  const command = new Command('worker')
    .description('Fetch for a crawl directory as one of its workers')
    .requiredOption(
      '--dir <dir>',
      'Crawl directory, on storage that all workers share; with --segments, any directory of this machine',
    )
    .addOption(redisOption())
    .option('--once', 'Stop after the first fetch list', false)
    .option('--no-parse', 'Store pages, and parse them later with orbweaver parse')
  return addLogOptions(addSegmentsOption(addMemoryOption(addJsonOption(addFetchOptions(command)))))
    .addHelpText('after', helpNotes({ 0: 'some pages were fetched', 1: 'no pages to fetch' }, HELP))
    .action(async (flags: WorkerFlags) => {
      const { runWorker } = await import('../wiring/run-worker.ts')
      const { dir, redis, once, parse, config, memory } = flags
      const line = new FetchStatusLine(terminal)
      const segments = await runWorker(dir, {
        ...fetchRunOptions(flags),
        ...{ once, parse, signal: terminal.interrupted },
        settings: {
          ...{ ...fetchConfig(flags), ...logConfig(flags), ...segmentsConfig(flags) },
          ...withoutUndefined({ memoryMb: memory }),
        },
        ...withoutUndefined({ redis, configFile: config }),
        openLog: (log) => terminal.openLog(log),
        onProgress: (progress) => line.update(progress),
        onSegmentEnd: () => line.clear(),
      })
      const text =
        segments.length === 0
          ? 'no page was fetched\n'
          : segments.map((result) => fetchReport(dir, result)).join('')
      terminal.out(flags.json ? formatJson({ segments }) : text)
      if (segments.length === 0) exitWith(EXIT.nothing)
    })
}
