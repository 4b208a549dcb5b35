import type { RobotsDirective } from './robots-line.ts'
import { RobotsRules } from './robots-rules.ts'

/** Some User-agent lines and what is said to those agents. */
export interface RobotsGroup {
  /** Product tokens in lower case, and `*`. Empty when no line named one. */
  readonly agents: readonly string[]
  readonly directives: readonly RobotsDirective[]
}

/** A robots.txt as read, for any crawler. */
export class RobotsFile {
  readonly #groups: readonly RobotsGroup[]
  readonly #sitemaps: readonly string[]

  constructor(groups: readonly RobotsGroup[], sitemaps: readonly string[]) {
    this.#groups = groups
    this.#sitemaps = sitemaps
  }

  /**
   * Every group that names the crawler, merged; the groups for `*` when none does (RFC 9309, 2.2.1).
   * @param agent its product token, in any case; a version after it (`FooBot/1.2`) is left out. Of several tokens
   * each counts as the crawler's name.
   */
  rulesFor(agent: string | readonly string[]): RobotsRules {
    const names = new Set([agent].flat().map((name) => productToken(name)))
    const ours = this.#groups.filter(({ agents }) => agents.some((name) => names.has(name)))
    const groups = ours.length > 0 ? ours : this.#groups.filter(({ agents }) => agents.includes('*'))
    return new RobotsRules(
      groups.flatMap(({ directives }) => directives),
      this.#sitemaps,
    )
  }
}

/**
 * The names that a User-agent line goes by. RFC 9309 has tokens of letters, `-` and `_`, and ends them at anything
 * else; crawlers with a digit in their name exist all the same and are found by the longer one.
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
