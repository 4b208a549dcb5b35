import { domainToASCII } from 'node:url'
import { z } from 'zod'

/** The kinds of value a configuration has. Each refuses what cannot be meant with words that say what would do. */

/** @param unit what is counted, for the message: `seconds` */
export function number(least: number, most = Number.POSITIVE_INFINITY, unit = '') {
  const error = `give a number${unit === '' ? '' : ` of ${unit}`}, ${range(least, most)}`
  return z.number({ error }).min(least, { error }).max(most, { error })
}

export function wholeNumber(least: number, most = Number.POSITIVE_INFINITY, unit = '') {
  const error = `give a whole number${unit === '' ? '' : ` of ${unit}`}, ${range(least, most)}`
  return z.number({ error }).min(least, { error }).max(most, { error }).refine(Number.isInteger, { error })
}

export function flag() {
  return z.boolean({ error: 'give true or false' })
}

export function choice<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, { error: `give ${listed(names)}` })
}

/** Text of which every character and the whole are right when `pattern` matches. */
export function text(pattern: RegExp, wanted: string) {
  const error = `give ${wanted}`
  return z.string({ error }).regex(pattern, { error })
}

export function list<Item extends z.ZodType>(item: Item, wanted: string) {
  return z.array(item, { error: `give a list of ${wanted}` }).readonly()
}

/** A host or an address, as `new URL(…).hostname` has it: in lower case, other scripts as punycode. */
export function hostName() {
  const error = 'give a host name like example.com, without a scheme, a port or a path'
  return z
    .string({ error })
    .refine((name) => asciiHost(name) !== '', { error })
    .overwrite(asciiHost)
}

/** An object of the user's own that stands in for one of ours: it has these methods, and is taken as it is. */
export function implementation<Type>(name: string, methods: ReadonlyArray<keyof Type & string>) {
  const isOne = (value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')
  return z.custom<Type>(isOne, { error: `give a ${name}: an object with ${listed(methods, 'and')}` })
}

/** `a, b or c`. */
export function listed(names: readonly string[], last = 'or'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`
}

function asciiHost(name: string): string {
  if (/^\[[\da-fA-F:.]+\]$/.test(name)) return name.toLowerCase()
  return /[\s/:@?#*]/.test(name) ? '' : domainToASCII(name.replace(/\.$/, ''))
}

function range(least: number, most: number): string {
  return most === Number.POSITIVE_INFINITY ? `at least ${least}` : `from ${least} to ${most}`
}
