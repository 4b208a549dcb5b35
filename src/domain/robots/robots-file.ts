import type { RobotsDirective } from './robots-line.ts'
import { RobotsRules } from './robots-rules.ts'

/** The agents of consecutive User-agent lines, and their directives. */
export interface RobotsGroup {
  /** Product tokens in lower case, and `*`. Empty if no line has a valid name. */
  readonly agents: readonly string[]
  readonly directives: readonly RobotsDirective[]
}

/** A parsed robots.txt, for any crawler. */
export class RobotsFile {
  readonly #ruleGroups: readonly RobotsGroup[]
  readonly #recordGroups: readonly RobotsGroup[]
  readonly #sitemaps: readonly string[]

  /**
   * @param ruleGroups Allow and Disallow lines, grouped as in RFC 9309
   * @param recordGroups other lines of a group (Crawl-delay, …), each with the User-agent lines directly above it
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
   * The merged rules of all groups for the crawler; those for `*` if there are none (RFC 9309, 2.2.1).
   * @param agent its product token, in any case; a version after it (`FooBot/1.2`) is ignored. The groups of several tokens are merged.
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
 * The names in a User-agent line. In RFC 9309 a name has letters, `-` and `_` and ends at any other character. Some crawlers have digits in
 * their names, so the longer name with digits counts too. Of several names on one line (`FooBot, BarBot`) only the first counts, as in the
 * reference parser of the RFC.
 */
export function agentNames(value: string): string[] {
  if (/^\*(?:\s|$)/.test(value)) return ['*']
  const [strict = ''] = /^[a-z_-]+/.exec(value.toLowerCase()) ?? []
  return [...new Set([strict, productToken(value)])].filter((name) => name !== '')
}

/** The name of a crawler in robots.txt; empty if no file can contain it. */
export function productToken(value: string): string {
  const [token = ''] = /^[\w-]+/.exec(value.toLowerCase()) ?? []
  return token
}
