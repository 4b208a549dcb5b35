import { appendAll } from '../../base/append-all.ts'
import { octetsOf } from './path-octets.ts'
import { agentNames, RobotsFile, type RobotsGroup } from './robots-file.ts'
import { type RobotsDirective, readable, robotsDirectives } from './robots-line.ts'

/** 500 KiB: the minimum that RFC 9309 (2.5) requires a crawler to parse, and the maximum here. */
export const MAX_ROBOTS_BYTES = 500 * 1024

/** Options of {@link parseRobots}. */
export interface ParseRobotsOptions {
  /** The input is truncated, so its last line may be incomplete and is dropped. @default false */
  readonly cut?: boolean
}

/**
 * Parses a robots.txt as in RFC 9309. It never throws, for any input, and takes linear time. It reads only the first 500 KiB and drops the
 * line that this limit cuts.
 * @example
 * const file = parseRobots('User-agent: *\nDisallow: /private/\nCrawl-delay: 2')
 * const rules = file.rulesFor('my-bot')
 * rules.judge('https://example.org/private/a').allowed // → false
 * rules.crawlDelayMs // → 2000
 */
export function parseRobots(
  input: Uint8Array | string,
  { cut = false }: ParseRobotsOptions = {},
): RobotsFile {
  // RFC 9309 (2.2.4): other records must not interfere with groups, so only a rule ends the User-agent lines of a group. With these groups
  // a Crawl-delay would also apply to the agents of the lines after it. So other records have their own groups.
  const ruleGroups: OpenGroup[] = []
  const recordGroups: OpenGroup[] = []
  const sitemaps = new Set<string>()
  for (const directive of robotsDirectives(octetsToRead(input, cut))) {
    const { field, value } = directive
    const [ruleGroup, recordGroup] = [ruleGroups.at(-1), recordGroups.at(-1)]
    if (field === 'sitemap') {
      const sitemap = readable(value)
      if (sitemap !== '') sitemaps.add(sitemap)
    } else if (field === 'user-agent') {
      addAgents(ruleGroups, agentNames(value))
      addAgents(recordGroups, agentNames(value))
    } else if (ruleGroup !== undefined && recordGroup !== undefined) {
      const isRule = field === 'allow' || field === 'disallow'
      const group = isRule ? ruleGroup : recordGroup
      group.directives.push(directive)
      recordGroup.closed = true
      ruleGroup.closed ||= isRule
    }
  }
  return new RobotsFile(ruleGroups, recordGroups, [...sitemaps])
}

interface OpenGroup extends RobotsGroup {
  readonly agents: string[]
  readonly directives: RobotsDirective[]
  /** The next User-agent line opens another group. */
  closed: boolean
}

function addAgents(groups: OpenGroup[], agents: string[]): void {
  const group = groups.at(-1)
  if (group === undefined || group.closed) groups.push({ agents, directives: [], closed: false })
  else appendAll(group.agents, agents)
}

const BYTE_ORDER_MARK = '\xEF\xBB\xBF'

/** The complete lines within the limit, one character for each octet. */
function octetsToRead(input: Uint8Array | string, cut: boolean): string {
  // One more than the limit: if that octet ends a line, the limit cuts no line.
  const length = MAX_ROBOTS_BYTES + 1
  const octets =
    typeof input === 'string'
      ? octetsOf(input.slice(0, length)).slice(0, length)
      : Buffer.from(input.buffer, input.byteOffset, Math.min(input.byteLength, length)).toString('latin1')
  const whole = octets.length > MAX_ROBOTS_BYTES || cut ? octets.slice(0, endOfLastLine(octets)) : octets
  return withoutByteOrderMark(whole)
}

/** Removes an incomplete mark too: its octets would make the first User-agent line invalid. */
function withoutByteOrderMark(octets: string): string {
  let length = 0
  while (length < BYTE_ORDER_MARK.length && octets[length] === BYTE_ORDER_MARK[length]) length++
  return octets.slice(length)
}

function endOfLastLine(octets: string): number {
  return Math.max(octets.lastIndexOf('\n'), octets.lastIndexOf('\r')) + 1
}
