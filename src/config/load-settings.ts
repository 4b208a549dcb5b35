import { checkConfig } from './complete-config.ts'
import type { OrbweaverConfig, Settings } from './config-schema.ts'
import { environmentConfig } from './environment-config.ts'
import { type ConfigSearch, findConfigFile } from './find-config-file.ts'
import { loadConfigFile } from './load-config-file.ts'
import { mergeSettings } from './merge-settings.ts'

/** All that settings are made from, as plain data: sent to a worker thread, it makes the same settings there. */
export interface SettingsSource {
  /** Absolute; absent when there is none. */
  readonly file?: string
  readonly environment: OrbweaverConfig
  /** What a spider says about itself, and what spiders have in place of the usual defaults. */
  readonly spider?: OrbweaverConfig
  readonly preset?: OrbweaverConfig
  /** Plain values only. */
  readonly flags: OrbweaverConfig
}

export interface SettingsRequest extends ConfigSearch {
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the command line sets, and nothing it leaves out. */
  readonly flags: OrbweaverConfig
}

/** Finds the configuration file of a command and checks what the environment and the flags say. */
export function settingsSource({ env, flags, ...search }: SettingsRequest): SettingsSource {
  const file = findConfigFile(search)
  return {
    ...(file !== undefined && { file }),
    environment: environmentConfig(env),
    flags: checkConfig(flags, 'command line'),
  }
}

/** Flags win over the environment, that over what a spider says about itself, that over the file, and that over the defaults. */
export async function loadSettings({ file, ...layers }: SettingsSource): Promise<Settings> {
  return mergeSettings({ ...layers, file: file === undefined ? {} : await loadConfigFile(file) })
}
