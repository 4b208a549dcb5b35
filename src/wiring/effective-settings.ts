import { mergeSettings } from '../adapters/config/complete-config.ts'
import { configKeys } from '../adapters/config/config-keys.ts'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { ConfigSearch } from '../adapters/config/find-config-file.ts'
import { loadConfigFile } from '../adapters/config/load-config-file.ts'
import { ENVIRONMENT_VARIABLES, settingsSource } from '../adapters/config/settings-source.ts'
import { withoutUndefined } from '../base/without-undefined.ts'
import { rememberedLayer } from './remembered-layer.ts'

/** The value of a key, and where it comes from. */
export interface EffectiveSetting {
  /** `politeness.delaySeconds` */
  readonly key: string
  /** Absent: the key has no value. */
  readonly value?: unknown
  /** `default`, the name of a file or of an environment variable, or `flags of the last run`. */
  readonly source: string
}

export interface EffectiveSettingsOptions extends Pick<ConfigSearch, 'named' | 'currentDirectory'> {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its remembered flags count, and a configuration file above it. */
  readonly crawlDirectory?: string
}

const REMEMBERED = 'flags of the last run'

/**
 * All settings with which a command without flags would run, in the order of docs/configuration.md.
 * @throws ConfigurationError for invalid settings
 */
export async function effectiveSettings(options: EffectiveSettingsOptions): Promise<EffectiveSetting[]> {
  const { env, crawlDirectory, named, ...search } = options
  const { remembered = {}, configFile } =
    crawlDirectory === undefined ? {} : await rememberedLayer(crawlDirectory)
  const source = settingsSource({
    ...search,
    ...withoutUndefined({ crawlDirectory, named: named ?? configFile }),
    ...{ env, flags: {} },
  })
  const { environment } = source
  const file = source.file === undefined ? {} : await loadConfigFile(source.file)
  const settings = mergeSettings({ flags: {}, remembered, environment, file })
  const sourceOf = (key: string) => {
    if (isSet(remembered, key)) return REMEMBERED
    if (isSet(environment, key)) return variableOf(key)
    return isSet(file, key) ? (source.file ?? '') : 'default'
  }
  const keys = configKeys().filter(({ path, isSection }) => !isSection && !path.includes('*'))
  return withoutForms(
    keys.map(({ path }) => ({
      key: path,
      ...withoutUndefined({ value: valueAt(settings, path) }),
      source: sourceOf(path),
    })),
  )
}

/** Of a key with several forms (`schedule`, `http.proxy`), keeps the keys of the form that it has, or the key itself. */
function withoutForms(settings: readonly EffectiveSetting[]): EffectiveSetting[] {
  const keys = new Set(settings.map(({ key }) => key))
  const divided = new Set(settings.flatMap(({ key, value }) => (value === undefined ? [] : parentsOf(key))))
  return settings.filter(
    ({ key, value }) =>
      !divided.has(key) && (value !== undefined || !parentsOf(key).some((parent) => keys.has(parent))),
  )
}

/** `a.b` and `a` of `a.b.c` */
function parentsOf(key: string): string[] {
  const names = key.split('.')
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join('.'))
}

/** The environment variable of a key, or of what it belongs to. */
function variableOf(key: string): string {
  const variable = Object.entries(ENVIRONMENT_VARIABLES).find(
    ([path]) => key === path || key.startsWith(`${path}.`),
  )
  return variable?.[1] ?? 'environment'
}

/** The value of a key; `undefined` also if what it belongs to is not an object. */
function valueAt(config: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), config)
}

/** Whether a layer sets a key, or replaces the whole of what it belongs to: `schedule: 'adaptive'`. */
function isSet(layer: OrbweaverConfig, key: string): boolean {
  let value: unknown = layer
  for (const name of key.split('.')) {
    if (!isObject(value)) return true
    if (!Object.hasOwn(value, name) || value[name] === undefined) return false
    value = value[name]
  }
  return true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
