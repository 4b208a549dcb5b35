import type { AiUseStatement } from './ai-use.ts'
import { comparablePath } from './path-octets.ts'
import { PathPattern } from './path-pattern.ts'
import { PatternSet } from './pattern-set.ts'
import { lineOf, type RobotsDirective } from './robots-line.ts'
import { isRobotsFile, ROBOTS_FILE_VERDICT, type RobotsVerdict } from './robots-verdict.ts'
import {
  aiUseStatements,
  combineUsagePreferences,
  parseUsagePreferences,
  type UsagePreferences,
} from './usage-preferences.ts'

/** The rules of one robots.txt for one crawler. */
export class RobotsRules {
  /** The longest Crawl-delay in the file. It has no upper limit; the caller decides what is too long. `undefined`: none. */
  readonly crawlDelayMs: number | undefined
  /** As written, in order, each once. They apply to all crawlers, in any group. */
  readonly sitemaps: readonly string[]
  /** The preferences of the Content-Signal lines. */
  readonly contentSignals: UsagePreferences
  /** Longest path first, Allow before Disallow: the first that matches decides. */
  readonly #rules: readonly PathRule[]
  readonly #patterns: PatternSet
  /** Longest path first. */
  readonly #usageRules: readonly UsageRule[]
  readonly #usagePatterns: PatternSet
  /** Of the Content-Signal lines. */
  readonly #signals: readonly AiUseStatement[]

  /** @param directives of all groups for the crawler, in the order of the file */
  constructor(directives: readonly RobotsDirective[], sitemaps: readonly string[]) {
    const rules: PathRule[] = []
    const usageRules: UsageRule[] = []
    const signals: UsagePreferences[] = []
    let crawlDelayMs: number | undefined
    for (const directive of directives) {
      const { field, value } = directive
      if (field === 'allow' || field === 'disallow') {
        if (canMatch(value)) rules.push(pathRule(field === 'allow', directive))
      } else if (field === 'content-usage') usageRules.push(usageRule(directive))
      else if (field === 'content-signal') signals.push(parseUsagePreferences(value, lineOf(directive)))
      else if (field === 'crawl-delay') crawlDelayMs = longerDelayMs(crawlDelayMs, value)
    }
    this.#rules = rules.sort((a, b) => longestFirst(a, b) || Number(b.allow) - Number(a.allow))
    this.#patterns = new PatternSet(rules.map(({ pattern }) => pattern))
    this.#usageRules = usageRules.sort(longestFirst)
    this.#usagePatterns = new PatternSet(usageRules.map(({ pattern }) => pattern))
    this.contentSignals = combineUsagePreferences(signals)
    this.#signals = signals.flatMap((signal) => aiUseStatements(signal, 'robots.txt'))
    this.crawlDelayMs = crawlDelayMs
    this.sitemaps = sitemaps
  }

  /** Estimated memory. */
  get bytes(): number {
    const data = this.sitemaps.length + this.contentSignals.lines.length
    const lines = this.#rules.length + this.#usageRules.length + data
    return lines * LINE_BYTES + this.#patterns.bytes + this.#usagePatterns.bytes
  }

  /**
   * Whether the rules allow a URL of their origin, and which line decided.
   * @param url absolute, or a path with its query
   */
  judge(url: string): RobotsVerdict {
    const path = comparablePath(url)
    if (isRobotsFile(path)) return ROBOTS_FILE_VERDICT
    const rule = this.#rules[this.#patterns.first(path)]
    if (rule === undefined) return NO_RULE_VERDICT
    const line = lineOf(rule.directive)
    return { allowed: rule.allow, kind: 'rule', reason: `line ${line.number}: ${line.text}`, line }
  }

  /**
   * The preferences of the Content-Usage line with the longest matching path; several of equal length are merged.
   * Only for URLs that `judge` allows: preferences do not apply to other URLs.
   */
  contentUsage(url: string): UsagePreferences {
    return combineUsagePreferences(this.#decidingUsage(url))
  }

  /** The statements of the Content-Signal lines and of `contentUsage`. Takes no time for a file without such lines. */
  aiUse(url: string): readonly AiUseStatement[] {
    if (this.#usageRules.length === 0) return this.#signals
    const usage = this.#decidingUsage(url)
    return [...this.#signals, ...usage.flatMap((preferences) => aiUseStatements(preferences, 'robots.txt'))]
  }

  #decidingUsage(url: string): UsagePreferences[] {
    const matching = this.#usagePatterns
      .matching(comparablePath(url))
      .map((index) => this.#usageRules[index] as UsageRule)
    const deciding = matching.filter(({ pattern }) => pattern.octets === matching[0]?.pattern.octets)
    return deciding.map(({ preferences }) => preferences)
  }
}

const NO_RULE_VERDICT: RobotsVerdict = {
  allowed: true,
  kind: 'no-rule',
  reason: 'no rule of robots.txt matches this URL',
}

const LINE_BYTES = 400

interface PathRule {
  readonly allow: boolean
  readonly pattern: PathPattern
  readonly directive: RobotsDirective
}

interface UsageRule {
  readonly pattern: PathPattern
  readonly preferences: UsagePreferences
}

/** Paths start with a slash, so an empty value or another first character matches no URL. */
function canMatch(path: string): boolean {
  return path.startsWith('/') || path.startsWith('*')
}

function pathRule(allow: boolean, directive: RobotsDirective): PathRule {
  return { allow, pattern: new PathPattern(directive.value), directive }
}

/** `/path train-ai=n`, or the statement alone, which applies to every path. */
function usageRule(directive: RobotsDirective): UsageRule {
  const { value } = directive
  const space = value.search(/[ \t]/)
  const pathEnd = canMatch(value) ? (space === -1 ? value.length : space) : 0
  return {
    pattern: new PathPattern(value.slice(0, pathEnd) || '/'),
    preferences: parseUsagePreferences(value.slice(pathEnd), lineOf(directive)),
  }
}

/** The value is in seconds, possibly with a fraction. Text after the number (`10s`) is ignored; a value without a number, or a negative one, is ignored. */
function longerDelayMs(knownMs: number | undefined, value: string): number | undefined {
  if (!/^[\d.]/.test(value)) return knownMs
  const delayMs = Number.parseFloat(value) * 1_000
  return delayMs >= (knownMs ?? 0) ? Math.min(delayMs, Number.MAX_SAFE_INTEGER) : knownMs
}

function longestFirst(a: { readonly pattern: PathPattern }, b: { readonly pattern: PathPattern }): number {
  return b.pattern.octets - a.pattern.octets
}
