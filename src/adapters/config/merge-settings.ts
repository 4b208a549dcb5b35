import { completeConfig } from './complete-config.ts'
import type { OrbweaverConfig, Settings } from './config-schema.ts'

/** What was set, by who set it. Each wins over those after it. */
export interface ConfigLayers {
  readonly flags: OrbweaverConfig
  readonly environment: OrbweaverConfig
  /** What a spider says about itself. @default nothing */
  readonly spider?: OrbweaverConfig
  readonly file: OrbweaverConfig
  /** What this kind of crawl has in place of the usual defaults. @default nothing */
  readonly preset?: OrbweaverConfig
}

/**
 * One configuration from all that was set, key by key. A list is one value: that of the stronger layer, whole. So are an object of
 * the user's own and a schedule or scoring given by its name.
 * @throws ConfigurationError when what each layer may say cannot be said together
 */
export function mergeSettings({ flags, environment, spider, file, preset }: ConfigLayers): Settings {
  const layers = [preset, file, spider, environment, flags]
  return completeConfig(layers.reduce(merged, {}), 'configuration')
}

function merged(weaker: unknown, stronger: unknown): unknown {
  if (stronger === undefined) return weaker
  if (!isPlainData(weaker) || !isPlainData(stronger)) return stronger
  const both = { ...weaker }
  for (const [key, value] of Object.entries(stronger)) both[key] = merged(both[key], value)
  return both
}

/** An object that only holds values. One with methods is somebody's implementation, and is not taken apart. */
function isPlainData(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((inner) => typeof inner !== 'function')
}
