import { type Command, Option } from 'commander'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { addOptionGroup } from './help-notes.ts'

/** Flags of the commands that create a crawl directory. Later commands use the engine of the directory. */
export interface EngineFlags {
  readonly engine?: 'duckdb' | 'spark'
  readonly sparkMaster?: string
}

export function addEngineOptions(command: Command): Command {
  const withEngine = addOptionGroup(command, 'General', (group) =>
    group.addOption(
      new Option(
        '--engine <engine>',
        'Engine of the CrawlDb (default: that of the directory, or duckdb)',
      ).choices(['duckdb', 'spark']),
    ),
  )
  return addSparkMasterOption(withEngine)
}

export function addSparkMasterOption(command: Command): Command {
  return addOptionGroup(command, 'General', (group) =>
    group.option('--spark-master <master>', 'Master of Spark (default: local[*])'),
  )
}

/** The settings of the flags. */
export function engineConfig({ engine, sparkMaster: master }: EngineFlags): OrbweaverConfig {
  const engineSettings = withoutUndefined({
    kind: engine,
    spark: master === undefined ? undefined : { master },
  })
  return Object.keys(engineSettings).length === 0 ? {} : { engine: engineSettings }
}
