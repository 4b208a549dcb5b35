import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import type { SessionOptions } from '../wiring/crawl-session.ts'
import type { OpenCrawlOptions } from '../wiring/cycle-options.ts'
import { addJsonOption, addOptionGroup } from './help-notes.ts'
import { type LogFlags, logConfig } from './log-flags.ts'
import { positiveNumber } from './option-values.ts'
import type { Screen } from './screen.ts'
import { addConfigOption } from './web-flags.ts'

/** Flags of all commands that open a crawl directory. */
export interface CrawlFlags {
  readonly json: boolean
  readonly config?: string
  readonly memory?: number
  readonly force: boolean
}

export function addCrawlOptions(command: Command): Command {
  return addDirectoryOptions(addConfigOption(command))
}

/** The same without `--config`. */
export function addDirectoryOptions(command: Command): Command {
  return addOptionGroup(addMemoryOption(addJsonOption(command)), 'General', (group) =>
    group.option('--force', 'Override the lock held by another process', false),
  )
}

/** The flag of `addSegmentsOption`. */
export interface SegmentsFlag {
  readonly segments?: string
}

/** For commands with which a crawl may begin on a machine. Others find the place in the crawl directory. */
export function addSegmentsOption(command: Command): Command {
  return addOptionGroup(command, 'General', (group) =>
    group.option(
      '--segments <url>',
      'Object store for the segments: s3://bucket/prefix; the directory remembers it (default: the directory)',
    ),
  )
}

export function segmentsConfig({ segments }: SegmentsFlag): Pick<OrbweaverConfig, 'segments'> {
  return withoutUndefined({ segments })
}

export function addMemoryOption(command: Command): Command {
  return addOptionGroup(command, 'General', (group) =>
    group.option(
      '--memory <megabytes>',
      'Memory limit of the database (default: 2048; of a spider 128)',
      positiveNumber,
    ),
  )
}

/** The session of a command on a crawl directory. @param terminal for its messages. @default they are dropped */
export function sessionOptions(
  dir: string,
  { config, memory, force }: Partial<CrawlFlags>,
  command: string,
  terminal?: Screen,
): SessionOptions {
  const settings = withoutUndefined({ memoryMb: memory })
  return {
    ...{ dir, command, settings, ...withoutUndefined({ configFile: config, force }) },
    ...(terminal !== undefined && { receivers: { openLog: (log) => terminal.openLog(log) } }),
  }
}

/** Options of `openCrawl` for a command. @param settings the settings of its other flags */
export function openOptions(
  { config, memory, force, ...log }: Pick<CrawlFlags, 'config' | 'memory' | 'force'> & LogFlags,
  command: string,
  terminal: Screen,
  settings: OrbweaverConfig = {},
): OpenCrawlOptions {
  return {
    ...settings,
    ...logConfig(log),
    ...withoutUndefined({ memoryMb: memory, config }),
    ...{ force, command, create: false },
    openLog: (log) => terminal.openLog(log),
  }
}
