import { resolve } from 'node:path'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { withoutSecret } from './secret-flags.ts'

/** The settings that shape a crawl as JSON, without the log and Redis, without values that may be secrets, and with an absolute path of the rule file. */
export function publicSettings(settings: OrbweaverConfig): JsonObject {
  const { proxy, headers, ...http } = settings.http ?? {}
  const { rules, ...filters } = settings.filters ?? {}
  const kept = Object.entries(headers ?? {}).filter(
    ([name, value]) => withoutSecret('--header', `${name}: ${value}`) === `${name}: ${value}`,
  )
  const { log: _log, redis: _redis, memoryMb: _memoryMb, ...shaping } = settings
  const safe = {
    ...shaping,
    http: {
      ...http,
      ...(proxy !== undefined && isPublicProxy(proxy) && { proxy }),
      ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
    },
    filters: {
      ...filters,
      ...(rules !== undefined && { rules: typeof rules === 'string' ? resolve(rules) : rules }),
    },
  }
  return withoutEmpty(JSON.parse(JSON.stringify(safe)) as JsonObject)
}

function isPublicProxy(proxy: string | { readonly url: string }): boolean {
  const url = typeof proxy === 'string' ? proxy : proxy.url
  return withoutSecret('--proxy', url) === url
}

function withoutEmpty(config: JsonObject): JsonObject {
  const isEmpty = (value: Json | undefined) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  return Object.fromEntries(Object.entries(config).filter(([, value]) => !isEmpty(value)))
}
