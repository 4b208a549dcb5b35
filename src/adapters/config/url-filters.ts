import type { Clock } from '../../base/clock.ts'
import { DEFAULT_RULES } from '../../domain/url/default-rules.ts'
import { allowDomains, denyDomains } from '../../domain/url/domain-filter.ts'
import { parseFastFilter } from '../../domain/url/fast-filter.ts'
import { limitFilter } from '../../domain/url/limit-filter.ts'
import { prefixFilter } from '../../domain/url/prefix-filter.ts'
import { publicNameFilter } from '../../domain/url/public-name-filter.ts'
import { parseRuleFile } from '../../domain/url/rule-file.ts'
import { type Scope, scopeFilter } from '../../domain/url/scope-filter.ts'
import { suffixFilter } from '../../domain/url/suffix-filter.ts'
import { trapFilter } from '../../domain/url/trap-filter.ts'
import { type DecidingFilter, filterChain, type UrlFilter } from '../../domain/url/url-filter.ts'
import type { Settings } from './config-schema.ts'
import type { FilterFunction } from './filter-section.ts'
import { readRuleFile } from './read-rule-file.ts'

type FilterSettings = Settings['filters']

const SCOPES: Readonly<Record<FilterSettings['scope'], Scope>> = {
  host: 'seed-hosts',
  domain: 'seed-domains',
  any: 'any',
}

/**
 * The filters of a crawl, in the order of the settings.
 * @param seeds normalised; without them no scope applies
 * @throws ConfigurationError for a rule file that cannot be read, and for invalid rules
 */
export function urlFilters(
  settings: FilterSettings,
  clock: Clock,
  seeds: Iterable<string> | undefined,
): DecidingFilter {
  const {
    allowDomains: allowed,
    denyDomains: denied,
    prefixes,
    suffixes,
    traps,
    custom,
    fast,
    validator,
  } = settings
  return filterChain([
    ...(seeds === undefined ? [] : [scopeFilter(SCOPES[settings.scope], seeds)]),
    allowDomains(allowed),
    denyDomains(denied),
    ...(fast === undefined ? [] : [parseFastFilter(readRuleFile(fast), fast)]),
    ...(validator ? [publicNameFilter()] : []),
    ...(prefixes.length === 0 ? [] : [prefixFilter(prefixes)]),
    ...(suffixes.length === 0 ? [] : [suffixFilter({ suffixes, ignoreCase: true, pathOnly: true })]),
    urlRules(settings.rules),
    limitFilter(settings),
    ...(traps === false ? [] : [trapFilter(clock, traps)]),
    ...custom.map(customFilter),
  ])
}

/** Compiled once; a command builds its rules several times, with and without a scope. */
let defaultRules: UrlFilter | undefined

function urlRules(rules: FilterSettings['rules']): UrlFilter {
  if (rules !== undefined) return ruleFilter(rules, 'filters.rules')
  defaultRules ??= { ...parseRuleFile(DEFAULT_RULES, 'default rules'), acceptsPlain: true }
  return defaultRules
}

/**
 * A filter from rule lines, or from the file of that name.
 * @param key of the setting, for messages; they use the index in a list as the line number
 */
export function ruleFilter(rules: string | readonly string[], key: string): DecidingFilter {
  return typeof rules === 'string'
    ? parseRuleFile(readRuleFile(rules), rules)
    : parseRuleFile(rules.join('\n'), key)
}

function customFilter(filter: FilterSettings['custom'][number], position: number): UrlFilter {
  return typeof filter === 'function' ? filterFromFunction(filter, `filters.custom[${position}]`) : filter
}

/** @param position the name of a function that has none */
function filterFromFunction(judge: FilterFunction, position: string): UrlFilter {
  const name = judge.name === '' ? position : judge.name
  return {
    name,
    judge(url) {
      const verdict = judge(url)
      return typeof verdict === 'boolean' ? { accepted: verdict, rule: `filter ${name}` } : verdict
    },
  }
}
