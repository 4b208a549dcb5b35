import type { Seed } from '../../domain/crawldb/inject-record.ts'

/** A line of a seed list. */
export type SeedLine =
  | { readonly kind: 'blank' }
  | {
      readonly kind: 'seed'
      /** As written; its URL is not normalised yet. */
      readonly seed: Seed
      /** Items that were left out, each with the reason. */
      readonly badItems: readonly string[]
    }

/**
 * Reads a line in Nutch's format: a URL, then `key=value` items, each after a TAB. Blank lines and those that start with `#` are blank.
 * Items without `=` are left out, as in Nutch; so are items of a reserved key whose value is not a number, and these are reported.
 */
export function parseSeedLine(line: string): SeedLine {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return BLANK
  const tab = text.indexOf('\t')
  if (tab === -1) return { kind: 'seed', seed: { url: text, metadata: NOTHING }, badItems: NONE }

  const given: { -readonly [Key in NumberKey]?: number } = {}
  const metadata: Record<string, string> = {}
  const badItems: string[] = []
  for (const item of text.slice(tab + 1).split('\t')) {
    const equals = item.indexOf('=')
    if (equals === -1) continue
    const key = item.slice(0, equals).trim()
    const value = item.slice(equals + 1).trim()
    const reserved = RESERVED.get(key)
    if (reserved === undefined) {
      if (key !== '') metadata[key] = value
      continue
    }
    const number = Number(value)
    const problem = value === '' || Number.isNaN(number) ? 'is not a number' : reserved.problem(number)
    if (problem === undefined) given[reserved.field] = number
    else badItems.push(`${key}=${value} ${problem}`)
  }
  return { kind: 'seed', seed: { url: text.slice(0, tab).trim(), ...given, metadata }, badItems }
}

const BLANK: SeedLine = { kind: 'blank' }
const NOTHING: Readonly<Record<string, string>> = Object.freeze({})
const NONE: readonly string[] = []

type NumberKey = 'score' | 'fetchInterval' | 'fixedInterval'

interface ReservedKey {
  readonly field: NumberKey
  readonly problem: (value: number) => string | undefined
}

const SCORE: ReservedKey = {
  field: 'score',
  problem: (value) => (Number.isFinite(value) ? undefined : 'is not finite'),
}

/** The longest interval the database holds, in seconds: 136 years. */
const MAX_SECONDS = 0xffff_ffff

function interval(field: NumberKey): ReservedKey {
  const fits = (value: number) => value > 0 && value <= MAX_SECONDS
  return { field, problem: (value) => (fits(value) ? undefined : 'is not a number of seconds above 0') }
}

const RESERVED = new Map<string, ReservedKey>([
  ['nutch.score', SCORE],
  ['score', SCORE],
  ['nutch.fetchInterval', interval('fetchInterval')],
  ['fetchInterval', interval('fetchInterval')],
  ['nutch.fetchInterval.fixed', interval('fixedInterval')],
  ['fetchInterval.fixed', interval('fixedInterval')],
])
