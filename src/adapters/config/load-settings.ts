import type { OrbweaverConfig, Settings } from './config-schema.ts'

/** The sources of settings, as plain data that can be sent to a worker thread to load the same settings there. */
export interface SettingsSource {
  /** Absolute path. Absent: there is no configuration file. */
  readonly file?: string
  /** A configuration file that was not loaded because it is code. */
  readonly notLoaded?: string
  readonly environment: OrbweaverConfig
  /** Settings in the definition of a spider. */
  readonly spider?: OrbweaverConfig
  /** Defaults of this kind of crawl that differ from the general ones. */
  readonly preset?: OrbweaverConfig
  /** Settings that the crawl directory remembers: flags of the last run. */
  readonly remembered?: OrbweaverConfig
  /** Plain values only. */
  readonly flags: OrbweaverConfig
  /** The loaded settings, if they can be sent to a thread: see `sourceForThreads`. */
  readonly settings?: Settings
}

/** Precedence: flags, remembered flags, environment, spider, file, preset, defaults. */
export async function loadSettings({
  file,
  notLoaded: _,
  settings,
  ...layers
}: SettingsSource): Promise<Settings> {
  if (settings !== undefined) return settings
  // Imported late: a thread that receives its settings need not load the schema, which takes longer than its other modules.
  const { mergeSettings } = await import('./complete-config.ts')
  const { loadConfigFile } = await import('./load-config-file.ts')
  return mergeSettings({ ...layers, file: file === undefined ? {} : await loadConfigFile(file) })
}

/** Adds `settings` to their source, unless they contain functions or class instances, which cannot be sent to a thread. */
export function sourceForThreads(source: SettingsSource, settings: Settings): SettingsSource {
  return isPlain(settings) ? { ...source, settings } : source
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (Array.isArray(value)) return value.every(isPlain)
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain)
}
