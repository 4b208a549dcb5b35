import { checkConfig } from './complete-config.ts'
import type { OrbweaverConfig } from './config-schema.ts'

/** What the environment may set, by the key it sets. */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  'agent.name': 'ORBWEAVER_AGENT',
  'agent.contactUrl': 'ORBWEAVER_CONTACT',
  'agent.email': 'ORBWEAVER_EMAIL',
  'http.proxy': 'ORBWEAVER_PROXY',
  'redis.url': 'ORBWEAVER_REDIS_URL',
  'redis.user': 'ORBWEAVER_REDIS_USER',
  'redis.password': 'ORBWEAVER_REDIS_PASSWORD',
  'redis.sentinelUser': 'ORBWEAVER_REDIS_SENTINEL_USER',
  'redis.sentinelPassword': 'ORBWEAVER_REDIS_SENTINEL_PASSWORD',
}

/**
 * The configuration in `env`. An empty variable counts as none.
 * @throws ConfigurationError that names the variable whose value cannot be used
 */
export function environmentConfig(env: Readonly<Record<string, string | undefined>>): OrbweaverConfig {
  const config: Record<string, Record<string, string>> = {}
  for (const [path, variable] of Object.entries(ENVIRONMENT_VARIABLES)) {
    const value = env[variable]
    const [section = '', key = ''] = path.split('.')
    if (value !== undefined && value !== '') config[section] = { ...config[section], [key]: value }
  }
  return checkConfig(config, 'environment', (path) => ENVIRONMENT_VARIABLES[path] ?? path)
}
