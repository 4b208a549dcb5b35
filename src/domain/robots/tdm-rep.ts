import { printable } from '../../base/printable.ts'
import type { AiUseStatement } from './ai-use.ts'
import { comparablePath, octetsOf } from './path-octets.ts'
import { PathPattern } from './path-pattern.ts'
import { PatternSet } from './pattern-set.ts'

/** Further rules are ignored. */
const MAX_RULES = 10_000

/**
 * The statements of `/.well-known/tdmrep.json` (W3C TDM Reservation Protocol): a list of rules with a path pattern each. The rule with the longest
 * matching pattern decides; of several equal ones, a reservation.
 */
export class TdmRep {
  readonly #rules: readonly TdmRule[]
  readonly #patterns: PatternSet

  /** A file that is not valid has no statements. @param octets the body, one character for each octet */
  constructor(octets: string) {
    const rules = readRules(octets)
    this.#rules = rules.sort(
      (a, b) => b.pattern.octets - a.pattern.octets || Number(b.isReserved) - Number(a.isReserved),
    )
    this.#patterns = new PatternSet(this.#rules.map(({ pattern }) => pattern))
  }

  /** @param url absolute */
  statements(url: string): readonly AiUseStatement[] {
    const rule = this.#rules[this.#patterns.first(comparablePath(url))]
    if (rule === undefined) return []
    const { isReserved, location, policy } = rule
    const conditions = policy === undefined ? '' : `, tdm-policy: ${policy}`
    const statement = {
      preference: isReserved ? 'disallow' : 'allow',
      source: 'tdmrep.json',
      text: `tdm-reservation: ${isReserved ? 1 : 0} (location: ${location}${conditions})`,
    } as const
    return [
      { use: 'train', ...statement },
      { use: 'input', ...statement },
    ]
  }
}

interface TdmRule {
  readonly pattern: PathPattern
  readonly location: string
  readonly isReserved: boolean
  readonly policy?: string
}

function readRules(octets: string): TdmRule[] {
  const list = parsed(Buffer.from(octets, 'latin1').toString('utf8'))
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_RULES).flatMap((entry: unknown) => ruleOf(entry) ?? [])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

const BYTE_ORDER_MARK = '\uFEFF'

function ruleOf(entry: unknown): TdmRule | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined
  const { location, 'tdm-reservation': reservation, 'tdm-policy': policy } = entry as Record<string, unknown>
  const value = String(reservation)
  if (typeof location !== 'string' || (value !== '0' && value !== '1')) return undefined
  const path = /^[/*]/.test(location) ? location : `/${location}`
  return {
    pattern: new PathPattern(octetsOf(path)),
    location: printable(location),
    isReserved: value === '1',
    ...(typeof policy === 'string' && { policy: printable(policy) }),
  }
}
