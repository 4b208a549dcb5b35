import { readFileSync } from 'node:fs'
import { programFile } from '../../base/program-files.ts'
import { type Settings, sectionSchema } from './config-schema.ts'

/**
 * Checks a configuration with the schemas of its own sections, and takes all others from the defaults: to build the whole schema takes
 * longer than all other modules of a command.
 * @param defaults the settings of an empty configuration; `undefined`: not known
 * @returns `undefined` if the whole schema must be used: the configuration is not valid, or the defaults are not known
 */
export function settingsBySection(value: unknown, defaults: Settings | undefined): Settings | undefined {
  if (defaults === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return undefined
  const settings: Record<string, unknown> = { ...defaults }
  for (const [name, section] of Object.entries(value)) {
    const result = sectionSchema(name)?.safeParse(section, { jitless: true })
    if (result?.success !== true) return undefined
    settings[name] = result.data
  }
  return Object.freeze(settings) as Settings
}

let defaults: Settings | undefined

/** The settings of an empty configuration, which the build computes. `undefined` in the sources. */
export function defaultSettings(): Settings | undefined {
  try {
    defaults ??= deepFreeze(JSON.parse(readFileSync(DEFAULTS, 'utf8'))) as Settings
  } catch {
    // There is no such file.
  }
  return defaults
}

const DEFAULTS = programFile('adapters/config/default-settings.json')

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
