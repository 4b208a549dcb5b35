import { z } from 'zod'
import { checkConfig } from '../../adapters/config/complete-config.ts'
import { configSchema } from '../../adapters/config/config-schema.ts'
import { docs } from '../../adapters/config/config-values.ts'
import { ControlRefused } from '../../adapters/serve/control/crawl-manager.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import type { Json, JsonObject } from '../../base/json.ts'

/**
 * The settings that clients of the control API may set: data that concerns one crawl. Left out are code, file names, commands, addresses to listen on or to
 * send data to, secrets and their environment variables, and access to private addresses.
 */
export const API_SETTINGS: Readonly<Record<string, 'all' | readonly string[]>> = {
  agent: 'all',
  http: [
    ...['timeoutSeconds', 'connectTimeoutSeconds', 'headersTimeoutSeconds', 'bodyTimeoutSeconds'],
    ...['minBytesPerSecond', 'maxBodyBytes', 'maxDeclaredBytes', 'headers', 'cookies', 'http2'],
  ],
  robots: 'all',
  politeness: 'all',
  normalizer: [
    ...['trailingSlash', 'removeDefaultPage', 'sortQuery', 'removeTrackingParameters', 'removeSessionIds'],
    ...['maxLength', 'patterns', 'hosts', 'protocols', 'slashes'],
  ],
  filters: [
    ...['scope', 'allowDomains', 'denyDomains', 'validator', 'prefixes', 'suffixes', 'rules', 'maxLength'],
    ...['maxDepth', 'traps'],
  ],
  links: [
    ...['ignoreInternal', 'ignoreExternal', 'exempt', 'compare', 'maxOutlinks', 'maxOutlinkLength'],
    ...['followNofollow', 'inheritMetadata', 'llmsTxt'],
  ],
  schedule: 'all',
  scoring: 'all',
  orphans: 'all',
  parse: ['maxTextChars', 'signature', 'fingerprints', 'markFailed'],
  render: ['mode', 'urls', 'resources', 'timeoutSeconds', 'maxWaitSeconds', 'quietSeconds', 'maxRequests'],
  limits: 'all',
  index: ['canonical', 'content', 'maxTitleLength', 'maxContentLength', 'maxAnchors', 'metadata'],
}

/** A text in these keys is the name of a file of the server. */
const FILE_OR_DATA = [
  ...['filters.rules', 'links.exempt', 'normalizer.patterns', 'normalizer.hosts'],
  ...['normalizer.protocols', 'normalizer.slashes'],
]

/** Checks settings of a client with the schema of the configuration. @throws ControlRefused with one sentence per mistake */
export function checkApiSettings(settings: Readonly<Record<string, unknown>>): JsonObject {
  const forbidden = forbiddenPaths(settings).map((path) => `${path} cannot be set over the API`)
  const files = FILE_OR_DATA.filter((path) => typeof valueAt(settings, path) === 'string').map(
    (path) => `${path} is a file name, which is not allowed over the API; give the values themselves`,
  )
  if (forbidden.length + files.length > 0)
    throw new ControlRefused('bad-request', `${[...forbidden, ...files].join('; ')}.`)
  try {
    return checkConfig(settings, 'settings') as JsonObject
  } catch (error) {
    if (error instanceof ConfigurationError) throw new ControlRefused('bad-request', error.message)
    throw error
  }
}

/** The part of a configuration that clients may see and set. */
export function apiPart(config: JsonObject): JsonObject {
  return split(config, true)
}

/** The part of a configuration that only the operator may set. */
export function operatorPart(config: JsonObject): JsonObject {
  return split(config, false)
}

/** `api` with the settings of the operator in `config`, which cannot be changed over the API. */
export function withOperatorPart(api: JsonObject, config: JsonObject): JsonObject {
  const merged: Record<string, Json | undefined> = { ...api }
  for (const [name, value] of Object.entries(operatorPart(config)))
    merged[name] = isObject(value) && isObject(merged[name]) ? { ...merged[name], ...value } : value
  return merged
}

/** JSON schema of the settings, for the OpenAPI document. */
export function apiSettingsSchema(): JsonObject {
  const { $schema: _, ...root } = z.toJSONSchema(configSchema(), {
    io: 'input',
    unrepresentable: 'any',
    metadata: docs,
    override: ({ jsonSchema }) => {
      delete jsonSchema['displayType']
    },
  }) as unknown as SchemaObject & { readonly $schema: string }
  const sections = Object.entries(root.properties ?? {}).filter(([name]) => Object.hasOwn(API_SETTINGS, name))
  return {
    ...root,
    description: 'Settings of a crawl, as in orbweaver.config.json.',
    properties: Object.fromEntries(sections.map(([name, schema]) => [name, sectionSchemaOf(name, schema)])),
  } as unknown as JsonObject
}

interface SchemaObject {
  readonly type?: string
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly anyOf?: readonly SchemaObject[]
}

function sectionSchemaOf(name: string, schema: SchemaObject): SchemaObject {
  const keys = Object.entries(schema.properties ?? {})
    .filter(([key]) => isAllowed(name, key))
    .map(([key, value]) => [key, FILE_OR_DATA.includes(`${name}.${key}`) ? withoutText(value) : value])
  if (schema.properties !== undefined) return { ...schema, properties: Object.fromEntries(keys) }
  // An implementation of a rule is code, which the schema shows as any value.
  const forms = schema.anyOf?.filter((form) => Object.keys(form).length > 0)
  return forms === undefined ? schema : { ...schema, anyOf: forms }
}

function withoutText({ anyOf = [], ...rest }: SchemaObject): SchemaObject {
  return { ...rest, anyOf: anyOf.filter(({ type }) => type !== 'string') }
}

function forbiddenPaths(settings: Readonly<Record<string, unknown>>): string[] {
  const known = new Set(Object.keys(configSchema().shape))
  return Object.entries(settings).flatMap(([name, value]) => {
    // The schema reports unknown names, and suggests others.
    if (!known.has(name)) return []
    const allowed = Object.hasOwn(API_SETTINGS, name) ? API_SETTINGS[name] : []
    if (allowed?.length === 0) return [name]
    if (allowed === 'all' || !isObject(value)) return []
    return Object.keys(value)
      .filter((key) => !isAllowed(name, key) && isKnownKey(name, key))
      .map((key) => `${name}.${key}`)
  })
}

function isKnownKey(section: string, key: string): boolean {
  const { properties } = z.toJSONSchema(configSchema(), {
    io: 'input',
    unrepresentable: 'any',
  }) as SchemaObject
  return properties?.[section]?.properties?.[key] !== undefined
}

function isAllowed(section: string, key: string): boolean {
  const allowed = Object.hasOwn(API_SETTINGS, section) ? API_SETTINGS[section] : []
  return allowed === 'all' || allowed?.includes(key) === true
}

function split(config: JsonObject, ofApi: boolean): JsonObject {
  const parts = Object.entries(config).flatMap(([name, value]) => {
    if (!isObject(value) || API_SETTINGS[name] === 'all')
      return Object.hasOwn(API_SETTINGS, name) === ofApi ? [[name, value] as const] : []
    const keys = Object.entries(value).filter(([key, inner]) => isSettable(name, key, inner) === ofApi)
    return keys.length === 0 ? [] : [[name, Object.fromEntries(keys)] as const]
  })
  return Object.fromEntries(parts)
}

/** A file name that the operator wrote is not shown to clients. */
function isSettable(section: string, key: string, value: Json | undefined): boolean {
  return isAllowed(section, key) && !(typeof value === 'string' && FILE_OR_DATA.includes(`${section}.${key}`))
}

function valueAt(settings: Readonly<Record<string, unknown>>, path: string): unknown {
  const [section = '', key = ''] = path.split('.')
  const values = settings[section]
  return isObject(values) ? values[key] : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, Json | undefined>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
