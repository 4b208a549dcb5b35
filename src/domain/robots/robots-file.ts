import type { RobotsDirective } from './robots-line.ts'
import { RobotsRules } from './robots-rules.ts'

/** The agents that some User-agent lines name, and the directives for them. */
export interface RobotsGroup {
  /** Product tokens in lower case, and `*`. Empty when no line named one. */
  readonly agents: readonly string[]
  readonly directives: readonly RobotsDirective[]
}

/** A robots.txt as read, for any crawler. */
export class RobotsFile {
  readonly #ruleGroups: readonly RobotsGroup[]
  readonly #recordGroups: readonly RobotsGroup[]
  readonly #sitemaps: readonly string[]

  /**
   * @param ruleGroups Allow and Disallow lines, grouped as RFC 9309 says
   * @param recordGroups other lines for certain agents (Crawl-delay, …), each with the User-agent lines directly above it
   */
  constructor(
    ruleGroups: readonly RobotsGroup[],
    recordGroups: readonly RobotsGroup[],
    sitemaps: readonly string[],
  ) {
    this.#ruleGroups = ruleGroups
    this.#recordGroups = recordGroups
    this.#sitemaps = sitemaps
  }

  /**
   * Every group that names the crawler, merged; the groups for `*` when none does (RFC 9309, 2.2.1).
   * @param agent its product token, in any case; a version after it (`FooBot/1.2`) is left out. Of several tokens
   * each counts as the crawler's name.
   */
  rulesFor(agent: string | readonly string[]): RobotsRules {
    const ours = new Set([agent].flat().map((name) => productToken(name)))
    const names = this.#ruleGroups.some(isFor(ours)) ? ours : EVERY_AGENT
    const groups = [...this.#ruleGroups, ...this.#recordGroups].filter(isFor(names))
    const directives = groups.flatMap((group) => group.directives)
    return new RobotsRules(directives, this.#sitemaps)
  }
}

const EVERY_AGENT: ReadonlySet<string> = new Set(['*'])

function isFor(names: ReadonlySet<string>): (group: RobotsGroup) => boolean {
  return ({ agents }) => agents.some((name) => names.has(name))
}

/**
 * The names that a User-agent line goes by. RFC 9309 has tokens of letters, `-` and `_`, and ends them at anything
 * else; crawlers with a digit in their name exist all the same and are found by the longer one. Of several names on one line
 * (`FooBot, BarBot`) only the first counts, as in the RFC's reference parser.
 */
export function agentNames(value: string): string[] {
  if (/^\*(?:\s|$)/.test(value)) return ['*']
  const [strict = ''] = /^[a-z_-]+/.exec(value.toLowerCase()) ?? []
  return [...new Set([strict, productToken(value)])].filter((name) => name !== '')
}

/** What a crawler's name is to a robots.txt; empty when a file could not name it. */
export function productToken(value: string): string {
  const [token = ''] = /^[\w-]+/.exec(value.toLowerCase()) ?? []
  return token
}
