import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { addJsonOption, addOptionGroup } from './help-notes.ts'
import { positiveNumber } from './option-values.ts'
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

export function addMemoryOption(command: Command): Command {
  return addOptionGroup(command, 'General', (group) =>
    group.option(
      '--memory <megabytes>',
      'Memory limit of the database (default: chosen by the database)',
      positiveNumber,
    ),
  )
}

export function crawlConfig({ memory }: CrawlFlags): OrbweaverConfig {
  return memory === undefined ? {} : { memoryMb: memory }
}
