import { resolve } from 'node:path'
import type { OrbweaverConfig } from '../adapters/config/config-schema.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { withoutSecret } from './secret-flags.ts'

/** The settings that shape a crawl as JSON, without the log and Redis, without values that may be secrets, and with an absolute path of the rule file. */
export function publicSettings(settings: OrbweaverConfig): JsonObject {
  const { proxy, headers, credentials: _credentials, ...http } = settings.http ?? {}
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

/** Of a list with one secret, nothing is kept: the rest would be another list. */
function isPublicProxy(proxy: NonNullable<NonNullable<OrbweaverConfig['http']>['proxy']>): boolean {
  const list = typeof proxy === 'string' || 'url' in proxy ? [proxy] : proxy
  return list.every((one) => {
    const url = typeof one === 'string' ? one : one.url
    return withoutSecret('--proxy', url) === url
  })
}

function withoutEmpty(config: JsonObject): JsonObject {
  const isEmpty = (value: Json | undefined) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  return Object.fromEntries(Object.entries(config).filter(([, value]) => !isEmpty(value)))
}
