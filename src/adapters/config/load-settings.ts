import type { OrbweaverConfig, Settings } from './config-schema.ts'

/** All that settings are made from, as plain data: sent to a worker thread, it makes the same settings there. */
export interface SettingsSource {
  /** Absolute; absent when there is none. */
  readonly file?: string
  /** A configuration file that was found and not loaded, because it is code. */
  readonly notLoaded?: string
  readonly environment: OrbweaverConfig
  /** What a spider says about itself, and what spiders have in place of the usual defaults. */
  readonly spider?: OrbweaverConfig
  readonly preset?: OrbweaverConfig
  /** Plain values only. */
  readonly flags: OrbweaverConfig
  /** What came of it, where that can be sent, too: see `sourceForThreads`. */
  readonly settings?: Settings
}

/** Flags win over the environment, that over what a spider says about itself, that over the file, and that over the defaults. */
export async function loadSettings({
  file,
  notLoaded: _,
  settings,
  ...layers
}: SettingsSource): Promise<Settings> {
  if (settings !== undefined) return settings
  // Late: a thread that is given its settings need not load the schema, which takes longer than all else that it loads.
  const { mergeSettings } = await import('./merge-settings.ts')
  const { loadConfigFile } = await import('./load-config-file.ts')
  return mergeSettings({ ...layers, file: file === undefined ? {} : await loadConfigFile(file) })
}

/** The source of `settings` with the settings themselves, unless they hold functions or other objects of the user's own, which cannot be sent. */
export function sourceForThreads(source: SettingsSource, settings: Settings): SettingsSource {
  return isPlain(settings) ? { ...source, settings } : source
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (Array.isArray(value)) return value.every(isPlain)
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain)
}
