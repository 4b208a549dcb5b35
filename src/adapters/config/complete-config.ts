import type { z } from 'zod'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { formatCount } from '../../base/format-values.ts'
import { printable } from '../../base/printable.ts'
import { configKeys } from './config-keys.ts'
import { configSchema, type OrbweaverConfig, type Settings } from './config-schema.ts'
import { nearestName } from './nearest-name.ts'
import { defaultSettings, settingsBySection } from './settings-by-section.ts'

type Issue = z.core.$ZodIssue

/**
 * Checks a configuration and fills in the defaults.
 *
 * @param where source of the values, such as a file name; every message starts with it
 * @param nameOf the name of the key at `path` in that source; by default the path
 * @throws ConfigurationError with one line per mistake
 */
export function completeConfig(
  value: unknown,
  where: string,
  nameOf: (path: string) => string = (path) => path,
): Settings {
  const settings = settingsBySection(value, defaultSettings())
  if (settings !== undefined) return settings
  // Compiling the schema (zod's jit) takes longer than checking one configuration.
  const result = configSchema().safeParse(value, { reportInput: true, jitless: true })
  if (result.success) return Object.freeze(result.data)
  throw new ConfigurationError(
    'SETTING_INVALID',
    mistakesIn(result.error.issues, nameOf)
      .map((mistake) => `${where}: ${mistake}`)
      .join('\n'),
  )
}

/** All mistakes in a configuration, one line each. */
export function configMistakes(value: unknown): string[] {
  const { error } = configSchema().safeParse(value, { reportInput: true, jitless: true })
  return error === undefined ? [] : mistakesIn(error.issues, (path) => path)
}

function mistakesIn(issues: readonly Issue[], nameOf: (path: string) => string): string[] {
  const inner = issues.flatMap(withinUnion)
  // A value of the wrong type breaks the limits of its length, too.
  const wrongTypes = new Set(inner.filter(({ code }) => code === 'invalid_type').map(pathOf))
  return inner
    .filter((issue) => issue.code !== 'too_small' || !wrongTypes.has(pathOf(issue)))
    .flatMap((issue) => explain(issue, nameOf))
}

function pathOf({ path }: Issue): string {
  return path.join('.')
}

/** Checks like `completeConfig` and returns the value without defaults, for merging. */
export function checkConfig(
  value: unknown,
  where: string,
  nameOf?: (path: string) => string,
): OrbweaverConfig {
  if (!isEmpty(value)) completeConfig(value, where, nameOf)
  return value as OrbweaverConfig
}

function isEmpty(value: unknown): boolean {
  return isPlainData(value) && Object.keys(value).length === 0
}

/** Configurations by their source. Each overrides those below it. */
export interface ConfigLayers {
  readonly flags: OrbweaverConfig
  /** Flags of the last run, which the crawl directory remembers. @default {} */
  readonly remembered?: OrbweaverConfig
  readonly environment: OrbweaverConfig
  /** Settings in the definition of a spider. @default {} */
  readonly spider?: OrbweaverConfig
  readonly file: OrbweaverConfig
  /** Defaults of this kind of crawl that differ from the general ones. @default {} */
  readonly preset?: OrbweaverConfig
}

/**
 * Merges all layers, key by key. Lists, objects with methods, and a schedule or scoring given by name are not merged: the layer with the
 * highest precedence provides the whole value.
 * @throws ConfigurationError when layers that are valid by themselves are invalid together
 */
export function mergeSettings({
  flags,
  remembered,
  environment,
  spider,
  file,
  preset,
}: ConfigLayers): Settings {
  const layers = [preset, file, spider, environment, remembered, flags]
  return completeConfig(layers.reduce(merge, {}), 'configuration')
}

function merge(lower: unknown, higher: unknown): unknown {
  if (higher === undefined) return lower
  if (!isPlainData(lower) || !isPlainData(higher)) return higher
  const both = { ...lower }
  for (const [key, value] of Object.entries(higher)) both[key] = merge(both[key], value)
  return both
}

/** Whether a value is an object that holds only data. One with methods is an implementation by the user. */
function isPlainData(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((inner) => typeof inner !== 'function')
}

/** For a value with several forms, the issues of the form that matches except for something inside it. */
function withinUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.find((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  )
  if (meant === undefined) return [issue]
  return meant.flatMap((inner) => withinUnion({ ...inner, path: [...issue.path, ...inner.path] }))
}

function explain(issue: Issue, nameOf: (path: string) => string): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(issue.path, key, kindOf(issue.input)))
  const path = pathOf(issue)
  const value = wrongValue(issue)
  const found =
    value === undefined ? 'missing' : /password$/i.test(path) ? 'not a password' : displayValue(value)
  const message = messageOf(issue)
  return [path === '' ? `${message} (found ${found})` : `${nameOf(path)} is ${found}; ${message}`]
}

/** The message of a schema, or ours in place of zod's own, which are about types and say nothing about keys. */
function messageOf(issue: Issue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  if (issue.code === 'invalid_type' && /^Invalid input/.test(issue.message))
    return `expected ${TYPES[issue.expected] ?? `a ${issue.expected}`}`
  if (issue.code === 'too_small' && /^Too small/.test(issue.message)) {
    const least = Number(issue.minimum)
    return issue.origin === 'string'
      ? 'expected a text that is not empty'
      : `expected a list of at least ${formatCount(least, 'value')}`
  }
  return issue.message
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a text',
}

function kindOf(section: unknown): unknown {
  return isPlainData(section) ? section['kind'] : undefined
}

/** The input, or the name or `kind` in it that is invalid. */
function wrongValue(issue: Issue): unknown {
  const last = issue.path.at(-1)
  if (issue.code === 'invalid_key') return last
  const chosenBy = issue.code === 'invalid_union' ? issue.discriminator : undefined
  return chosenBy === undefined ? issue.input : (issue.input as Record<string, unknown>)[chosenBy]
}

/** @param kind `kind` of the section that has the key, if there is one */
function unknownKey(parent: readonly PropertyKey[], key: string, kind: unknown): string {
  const path = [...parent, key].join('.')
  const keys = configKeys().map((known) => known.path)
  const siblings = keys.filter((known) => isChild(known.split('.'), parent)).map(lastName)
  // Another form of the section has it.
  if (siblings.includes(key))
    return `${path}: this key does not apply${typeof kind === 'string' ? ` to the kind '${kind}'` : ' here'}`
  if (parent.length > 0 && keys.includes(key))
    return `${path}: unknown key; ${key} is a top-level key, not a part of ${parent.join('.')}`
  const guess =
    nearestName(key, siblings) ?? keys.find((known) => lastName(known).toLowerCase() === key.toLowerCase())
  return `${path}: unknown key${guess === undefined ? '' : `; did you mean ${guess}?`}`
}

function isChild(path: readonly string[], parent: readonly PropertyKey[]): boolean {
  return path.length === parent.length + 1 && parent.every((name, i) => path[i] === '*' || path[i] === name)
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

/** At most 60 characters, without passwords in URLs. */
function displayValue(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  // A password may contain any of / and @, and the scheme may be what is missing.
  return printable(text.replace(/\/\/.*@/, '//').replace(/[^"\s/]*:[^"\s]*@/g, ''), 60)
}
