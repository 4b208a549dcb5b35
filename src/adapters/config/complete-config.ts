import type { z } from 'zod'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { printable } from '../../base/printable.ts'
import { configKeys } from './config-keys.ts'
import { configSchema, type OrbweaverConfig, type Settings } from './config-schema.ts'
import { nearestName } from './nearest-name.ts'

type Issue = z.core.$ZodIssue

/**
 * Checks what somebody wrote and fills in the defaults.
 *
 * @param where the file, or what else the values came from; messages begin with it
 * @param nameOf how its author calls the key at `path`; by default the path
 * @throws ConfigurationError with a line for every mistake
 */
export function completeConfig(
  value: unknown,
  where: string,
  nameOf: (path: string) => string = (path) => path,
): Settings {
  // Compiled code for each object of the schema pays only for many values.
  const result = configSchema.safeParse(value, { reportInput: true, jitless: true })
  if (result.success) return Object.freeze(result.data)
  const mistakes = result.error.issues.flatMap(withinUnion).flatMap((issue) => explain(issue, nameOf))
  throw new ConfigurationError(
    'SETTING_INVALID',
    mistakes.map((mistake) => `${where}: ${mistake}`).join('\n'),
  )
}

/** Checks in the same way, and returns what was written: a layer must not bring defaults into a merge. */
export function checkConfig(
  value: unknown,
  where: string,
  nameOf?: (path: string) => string,
): OrbweaverConfig {
  completeConfig(value, where, nameOf)
  return value as OrbweaverConfig
}

/** Where a value may have several forms, the form that was meant: the one that fits but for something inside it. */
function withinUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const meant = issue.errors.find((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys'),
  )
  if (meant === undefined) return [issue]
  return meant.flatMap((inner) => withinUnion({ ...inner, path: [...issue.path, ...inner.path] }))
}

function explain(issue: Issue, nameOf: (path: string) => string): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(issue.path, key))
  const path = issue.path.join('.')
  const found = /password$/i.test(path) ? 'no password' : shown(mistakeIn(issue))
  // Of a name that cannot be used zod's own message says only that it is one.
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [path === '' ? `${message} (found ${found})` : `${nameOf(path)} is ${found}; ${message}`]
}

/** The input is the mistake, but where a name or a `kind` inside it is. */
function mistakeIn(issue: Issue): unknown {
  const last = issue.path.at(-1)
  if (issue.code === 'invalid_key') return last
  const chosenBy = issue.code === 'invalid_union' ? issue.discriminator : undefined
  return chosenBy === undefined ? issue.input : (issue.input as Record<string, unknown>)[chosenBy]
}

function unknownKey(parent: readonly PropertyKey[], key: string): string {
  const path = [...parent, key].join('.')
  const guess = suggestion(parent, key)
  if (guess === key) return `${path}: this key goes with another kind`
  return `${path}: there is no such key${guess === undefined ? '' : `; did you mean ${guess}?`}`
}

/** A key like it in the same place; else one of the same name elsewhere, with its path. */
function suggestion(parent: readonly PropertyKey[], key: string): string | undefined {
  const keys = configKeys().map(({ path }) => path)
  const siblings = keys.filter((path) => isChild(path.split('.'), parent)).map(lastName)
  const near = nearestName(key, siblings)
  return near ?? keys.find((path) => lastName(path).toLowerCase() === key.toLowerCase())
}

function isChild(path: readonly string[], parent: readonly PropertyKey[]): boolean {
  return path.length === parent.length + 1 && parent.every((name, i) => path[i] === '*' || path[i] === name)
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

/** Short, and without the password of a proxy. */
function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return printable(text.replace(/\/\/[^/@]*@/, '//'), 60)
}
