import { ConfigurationError } from '../../base/crawl-error.ts'
import { createNormalizer, type UrlNormalizer } from '../../domain/url/normalize-url.ts'
import { type PatternReplacement, patternRewrite } from '../../domain/url/pattern-rewrite.ts'
import { textLines } from '../../domain/url/rule-file.ts'
import {
  hostRewrite,
  protocolRewrite,
  rewritingNormalizer,
  slashRewrite,
  type UrlRewrite,
} from '../../domain/url/url-rewrite.ts'
import type { Settings } from './config-schema.ts'
import { readRegexNormalizeFile } from './read-regex-normalize-file.ts'
import { readRuleFile } from './read-rule-file.ts'

type NormalizerSettings = Settings['normalizer']

/**
 * The normalizer of a crawl with the rules that rewrite URLs, in the order of the settings.
 * @param schemes besides http and https
 * @throws ConfigurationError for a rule file that cannot be read, and for invalid rules
 */
export function urlNormalizer(settings: NormalizerSettings, schemes: readonly string[] = []): UrlNormalizer {
  const { patterns, hosts, protocols, slashes, custom } = settings
  const rewrites: UrlRewrite[] = patternList(patterns).map((rule, i) =>
    patternRewrite(rule, patternName(patterns, i)),
  )
  if (isSet(hosts)) rewrites.push(hostRewrite(...hostEntries(hosts, 'hosts', TARGETS)))
  if (isSet(protocols)) rewrites.push(protocolRewrite(...hostEntries(protocols, 'protocols', SCHEMES)))
  if (isSet(slashes)) rewrites.push(slashRewrite(...hostEntries(slashes, 'slashes', SLASHES)))
  return rewritingNormalizer(createNormalizer({ ...settings, schemes }), [...rewrites, ...custom])
}

/** Whether some settings rewrite URLs, in addition to normalization. */
export function hasRewrites({ patterns, hosts, protocols, slashes, custom }: NormalizerSettings): boolean {
  return patterns.length > 0 || custom.length > 0 || isSet(hosts) || isSet(protocols) || isSet(slashes)
}

function patternList(patterns: NormalizerSettings['patterns']): readonly PatternReplacement[] {
  return typeof patterns === 'string' ? readRegexNormalizeFile(patterns) : patterns
}

function patternName(patterns: NormalizerSettings['patterns'], position: number): string {
  return typeof patterns === 'string'
    ? `${patterns}: rule ${position + 1}`
    : `normalizer.patterns[${position}]`
}

type ByHost<Value> = string | Readonly<Record<string, Value>>

function isSet(value: ByHost<unknown>): boolean {
  return typeof value === 'string' || Object.keys(value).length > 0
}

/** Reads the second column of a file; `undefined`: it is invalid. */
type ReadValue<Value> = (text: string) => Value | undefined

/** The entries of a setting, and the name of their source for messages. */
function hostEntries<Value>(
  value: ByHost<Value>,
  key: string,
  read: { readonly value: ReadValue<Value>; readonly expected: string },
): [Array<readonly [string, Value]>, string] {
  if (typeof value !== 'string') return [Object.entries(value), `normalizer.${key}`]
  const entries = textLines(readRuleFile(value)).map(({ number, text }) => {
    const [pattern = '', second = '', ...others] = text.split(/\s+/)
    const known = others.length === 0 ? read.value(second) : undefined
    if (known === undefined)
      throw new ConfigurationError(
        'RULE_INVALID',
        `${value}:${number}: expected a host name and ${read.expected}; found '${text}'`,
      )
    return [pattern, known] as const
  })
  return [entries, value]
}

const TARGETS = {
  value: (text: string) => (text === '' ? undefined : text),
  expected: 'the host to use instead',
}
const SCHEMES = {
  value: (text: string) => (text === 'http' || text === 'https' ? text : undefined),
  expected: 'http or https',
}
const SLASHES = {
  value: (text: string) => (text === '+' ? 'add' : text === '-' ? 'remove' : undefined),
  expected: '+ or -',
} as const
