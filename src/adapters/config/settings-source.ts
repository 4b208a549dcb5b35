import { checkConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'
import { type ConfigSearch, findConfigFile } from './find-config-file.ts'
import type { SettingsSource } from './load-settings.ts'

export interface SettingsRequest extends ConfigSearch {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Only the keys that flags or the options of a program set. */
  readonly flags: OrbweaverConfig
}

/** Finds the configuration file of a command, and checks the environment and the flags. */
export function settingsSource({ env, flags, ...search }: SettingsRequest): SettingsSource {
  return {
    ...findConfigFile(search),
    environment: environmentConfig(env),
    flags: checkConfig(flags, 'options'),
  }
}

/** Environment variables, by the key they set. */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  'agent.name': 'ORBWEAVER_AGENT',
  'agent.contactUrl': 'ORBWEAVER_CONTACT',
  'agent.email': 'ORBWEAVER_EMAIL',
  'http.proxy': 'ORBWEAVER_PROXY',
  'log.level': 'ORBWEAVER_LOG_LEVEL',
  'log.format': 'ORBWEAVER_LOG_FORMAT',
  'log.file': 'ORBWEAVER_LOG_FILE',
  'notify.onFinish': 'ORBWEAVER_ON_FINISH',
  'notify.to': 'ORBWEAVER_NOTIFY',
  'redis.url': 'ORBWEAVER_REDIS_URL',
  'redis.user': 'ORBWEAVER_REDIS_USER',
  'redis.password': 'ORBWEAVER_REDIS_PASSWORD',
  'redis.sentinelUser': 'ORBWEAVER_REDIS_SENTINEL_USER',
  'redis.sentinelPassword': 'ORBWEAVER_REDIS_SENTINEL_PASSWORD',
}

/**
 * The configuration in `env`. Empty variables are ignored.
 * @throws ConfigurationError that names the variable whose value is invalid
 */
export function environmentConfig(env: Readonly<Record<string, string | undefined>>): OrbweaverConfig {
  const config: Record<string, Record<string, string | readonly string[]>> = {}
  for (const [path, variable] of Object.entries(ENVIRONMENT_VARIABLES)) {
    const value = env[variable]
    const [section = '', key = ''] = path.split('.')
    if (value === undefined || value === '') continue
    const values = variable === 'ORBWEAVER_PROXY' ? value.trim().split(/\s+/) : [value]
    config[section] = { ...config[section], [key]: values.length > 1 ? values : (values[0] ?? '') }
  }
  return checkConfig(config, 'environment', (path) => ENVIRONMENT_VARIABLES[path] ?? path)
}
