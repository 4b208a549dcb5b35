import { appendAll } from '../base/append-all.ts'
import { octetsOf } from './path-octets.ts'
import { agentNames, RobotsFile, type RobotsGroup } from './robots-file.ts'
import { type RobotsDirective, readable, robotsDirectives } from './robots-line.ts'

/** 500 KiB: what RFC 9309 (2.5) obliges a crawler to read, and all that we do. */
export const MAX_ROBOTS_BYTES = 500 * 1024

export interface ParseRobotsOptions {
  /** The input breaks off before its end, so its last line may be half a rule. @default false */
  readonly cut?: boolean
}

/**
 * Reads a robots.txt as RFC 9309 says, out of whatever came. It never throws, and needs time in proportion to the
 * first 500 KiB; beyond them it reads nothing, and drops the line that they cut in two.
 */
export function parseRobots(
  input: Uint8Array | string,
  { cut = false }: ParseRobotsOptions = {},
): RobotsFile {
  const groups: OpenGroup[] = []
  const sitemaps = new Set<string>()
  for (const directive of robotsDirectives(octetsToRead(input, cut))) {
    const { field, value } = directive
    const group = groups.at(-1)
    if (field === 'sitemap') {
      const sitemap = readable(value)
      if (sitemap !== '') sitemaps.add(sitemap)
    } else if (field === 'user-agent') {
      if (group === undefined || group.closed)
        groups.push({ agents: agentNames(value), directives: [], closed: false })
      else appendAll(group.agents, agentNames(value))
    } else if (group !== undefined) {
      group.directives.push(directive)
      group.closed ||= field === 'allow' || field === 'disallow'
    }
  }
  return new RobotsFile(groups, [...sitemaps])
}

/** Only a rule closes a group, so that a User-agent line after it opens the next. Other lines stand in between. */
interface OpenGroup extends RobotsGroup {
  readonly agents: string[]
  readonly directives: RobotsDirective[]
  closed: boolean
}

const BYTE_ORDER_MARK = '\xEF\xBB\xBF'

/** The whole lines of what is to be read, one character for each octet. */
function octetsToRead(input: Uint8Array | string, cut: boolean): string {
  // One more than the limit: if that one ends a line, the limit has cut nothing in two.
  const length = MAX_ROBOTS_BYTES + 1
  const octets =
    typeof input === 'string'
      ? octetsOf(input.slice(0, length)).slice(0, length)
      : Buffer.from(input.buffer, input.byteOffset, Math.min(input.byteLength, length)).toString('latin1')
  const whole = octets.length > MAX_ROBOTS_BYTES || cut ? octets.slice(0, endOfLastLine(octets)) : octets
  return whole.startsWith(BYTE_ORDER_MARK) ? whole.slice(BYTE_ORDER_MARK.length) : whole
}

function endOfLastLine(octets: string): number {
  return Math.max(octets.lastIndexOf('\n'), octets.lastIndexOf('\r')) + 1
}
