import { readFileSync } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { DEFAULT_RULES } from '../../domain/url/default-rules.ts'
import { allowDomains, denyDomains } from '../../domain/url/domain-filter.ts'
import { limitFilter } from '../../domain/url/limit-filter.ts'
import { prefixFilter } from '../../domain/url/prefix-filter.ts'
import { parseRuleFile } from '../../domain/url/rule-file.ts'
import { type Scope, scopeFilter } from '../../domain/url/scope-filter.ts'
import { suffixFilter } from '../../domain/url/suffix-filter.ts'
import { trapFilter } from '../../domain/url/trap-filter.ts'
import { type DecidingFilter, filterChain, type UrlFilter } from '../../domain/url/url-filter.ts'
import type { Settings } from './config-schema.ts'
import type { FilterFunction } from './filter-section.ts'

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
  const { allowDomains: allowed, denyDomains: denied, prefixes, suffixes, traps, custom } = settings
  return filterChain([
    ...(seeds === undefined ? [] : [scopeFilter(SCOPES[settings.scope], seeds)]),
    allowDomains(allowed),
    denyDomains(denied),
    ...(prefixes.length === 0 ? [] : [prefixFilter(prefixes)]),
    ...(suffixes.length === 0 ? [] : [suffixFilter({ suffixes, ignoreCase: true, pathOnly: true })]),
    ruleFilter(settings.rules),
    limitFilter(settings),
    ...(traps === false ? [] : [trapFilter(clock, traps)]),
    ...custom.map(customFilter),
  ])
}

/** Compiled once; a command builds its rules several times, with and without a scope. */
let defaultRules: UrlFilter | undefined

function ruleFilter(rules: FilterSettings['rules']): UrlFilter {
  if (rules === undefined) {
    defaultRules ??= parseRuleFile(DEFAULT_RULES, 'default rules')
    return defaultRules
  }
  // Messages use the index in the list as the line number.
  if (typeof rules !== 'string') return parseRuleFile(rules.join('\n'), 'filters.rules')
  let text: string
  try {
    text = readFileSync(rules, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigurationError('RULE_INVALID', `${rules}: cannot read the rule file (${code})`, { cause })
  }
  return parseRuleFile(text, rules)
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
