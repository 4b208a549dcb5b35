import { checkConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { environmentConfig } from './environment-config.ts'
import { type ConfigSearch, findConfigFile } from './find-config-file.ts'
import type { SettingsSource } from './load-settings.ts'

export interface SettingsRequest extends ConfigSearch {
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the command line sets, and nothing it leaves out. */
  readonly flags: OrbweaverConfig
}

/** Finds the configuration file of a command and checks what the environment and the flags say. */
export function settingsSource({ env, flags, ...search }: SettingsRequest): SettingsSource {
  return {
    ...findConfigFile(search),
    environment: environmentConfig(env),
    flags: checkConfig(flags, 'command line'),
  }
}
