/** The value types of a configuration. The message of each says which values are accepted. */
import { domainToASCII } from 'node:url'
import { z } from 'zod'

/**
 * What docs/configuration.md says about a key. `register` returns the schema itself; `describe` would copy it, and the copies of all keys
 * take 10 ms of every start. For the same reason, the checks of a value are added at once.
 */
export const docs = z.registry<KeyDocs>()

interface KeyDocs {
  readonly description?: string
  /** @default as the schema says */
  readonly displayType?: string
  /** @default as the schema says */
  readonly default?: number
}

/** @param unit of the number, for the message: `seconds` */
export function numberValue(least: number, most = Number.POSITIVE_INFINITY, unit = '') {
  const error = `expected a number${unit === '' ? '' : ` of ${unit}`}, ${range(least, most)}`
  return z.number({ error }).check(z.gte(least, { error }), z.lte(most, { error }))
}

export function integerValue(least: number, most = Number.POSITIVE_INFINITY, unit = '') {
  const error = `expected a whole number${unit === '' ? '' : ` of ${unit}`}, ${range(least, most)}`
  return z
    .number({ error })
    .check(z.gte(least, { error }), z.lte(most, { error }), z.refine(Number.isInteger, { error }))
}

export function booleanValue() {
  return z.boolean({ error: 'expected true or false' })
}

export function choiceValue<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, { error: `expected ${joinNames(names)}` })
}

export function stringValue(pattern: RegExp, expected: string) {
  const error = `expected ${expected}`
  return z.string({ error }).regex(pattern, { error })
}

export function listValue<Item extends z.ZodType>(item: Item, expected: string) {
  return z.array(item, { error: `expected a list of ${expected}` }).readonly()
}

/** A host name or address in the form of `new URL(…).hostname`: lower case, other scripts as punycode. */
export function hostName() {
  const error = 'expected a host name like example.com, without scheme, port and path'
  return z
    .string({ error })
    .refine((name) => asciiHost(name) !== '', { error })
    .overwrite(asciiHost)
}

/** A user's implementation of one of our interfaces: any object with these methods, passed through unchanged. */
export function implementation<Type>(name: string, methods: ReadonlyArray<keyof Type & string>) {
  const isOne = (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')
  return z.custom<Type>(isOne, { error: `expected a ${name}: an object with ${joinNames(methods, 'and')}` })
}

/** `a, b or c`. */
function joinNames(names: readonly string[], last = 'or'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`
}

function asciiHost(name: string): string {
  if (/^\[[\da-fA-F:.]+\]$/.test(name)) return name.toLowerCase()
  return /[\s/:@?#*]/.test(name) ? '' : domainToASCII(name.replace(/\.$/, ''))
}

function range(least: number, most: number): string {
  return most === Number.POSITIVE_INFINITY ? `at least ${least}` : `from ${least} to ${most}`
}
