import type { Command } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { positiveNumber } from './option-values.ts'
import { addConfigOption } from './web-flags.ts'

/** The flags of every command that works on a crawl directory. */
export interface CrawlFlags {
  readonly json: boolean
  readonly config?: string
  readonly memory?: number
  readonly force: boolean
}

export function addCrawlOptions(command: Command): Command {
  return addDirectoryOptions(addConfigOption(command))
}

/** The same for a command that takes its `--config` from elsewhere. */
export function addDirectoryOptions(command: Command): Command {
  return command
    .option('--json', 'print one JSON document', false)
    .option('--memory <megabytes>', 'what the database may use', positiveNumber)
    .option('--force', 'override the lock held by another process', false)
}

export function crawlConfig({ memory }: CrawlFlags): OrbweaverConfig {
  return memory === undefined ? {} : { memoryMb: memory }
}
