import { LruMap } from '../../base/lru-map.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import { parseRobots } from '../robots/parse-robots.ts'
import type { RobotsRules } from '../robots/robots-rules.ts'
import type { CertifiedRobots, RobotsDecisionCount, ViolationRule } from './certificate.ts'
import type { RobotsEntry } from './request-log-entry.ts'

/** A robots.txt that was in force, read from the log. */
export interface RobotsVersion {
  /** Without the text. */
  readonly entry: RobotsEntry
  /** The agent of the process that used it. */
  readonly agent: string
  /** Octets of the file. */
  readonly bytes?: number
}

/** Keeps and parses the robots.txt files of the logs. */
export class RobotsTexts {
  /** Octets by hash. */
  readonly #texts = new LruMap<string, string>(MAX_TEXT_CHARS)
  readonly #rules = new LruMap<string, RobotsRules>(MAX_RULES_BYTES)

  version({ text, ...entry }: RobotsEntry, agent: string): RobotsVersion {
    const { hash } = entry
    if (hash === undefined) return { entry, agent }
    if (text !== undefined) this.#texts.set(hash, text, text.length)
    return { entry, agent, ...withoutUndefined({ bytes: this.#texts.get(hash)?.length }) }
  }

  /** `undefined`: there is no file, or its text is not known. */
  rules({ entry: { hash, cut = false }, agent }: RobotsVersion): RobotsRules | undefined {
    if (hash === undefined) return undefined
    const key = `${hash} ${cut} ${agent}`
    const parsed = this.#rules.get(key)
    const text = this.#texts.get(hash)
    if (parsed !== undefined || text === undefined) return parsed
    const rules = parseRobots(Buffer.from(text, 'latin1'), { cut }).rulesFor(agent)
    this.#rules.set(key, rules, rules.bytes + key.length)
    return rules
  }
}

/** Enough for about 100,000 files. */
const MAX_TEXT_CHARS = 128 * 1024 * 1024
const MAX_RULES_BYTES = 64 * 1024 * 1024

/** What a robots.txt says about a request. */
export interface RobotsViolation {
  readonly rule?: Extract<ViolationRule, `robots-${string}`>
  readonly message?: string
}

const OK: RobotsViolation = Object.freeze({})
/** RFC 9309 (2.4): a copy is not used longer than 24 hours, unless the file cannot be reached. Requests may have waited a little. */
const MAX_AGE_MS = 24 * 3_600_000 + 300_000
const MAX_OUTAGE_AGE_MS = 30 * 24 * 3_600_000

/** Counts the decisions of the robots.txt versions of one host. */
export class RobotsAudit {
  /** Requests whose robots.txt is not in the logs. */
  unchecked = 0
  readonly #texts: RobotsTexts
  readonly #versions: VersionCount[] = []

  constructor(texts: RobotsTexts) {
    this.#texts = texts
  }

  /** @param denyOnForbidden of the process that sent the request */
  check(
    url: string,
    at: number,
    version: RobotsVersion | undefined,
    denyOnForbidden: boolean,
  ): RobotsViolation {
    if (version === undefined)
      return { rule: 'robots-not-fetched', message: 'requested without a robots.txt in force' }
    const { entry } = version
    const rules = this.#texts.rules(version)
    const count = this.#countOf(version, rules)
    count.requests++
    if (entry.state === 'unreachable')
      return {
        rule: 'robots-unreachable',
        message: `requested although robots.txt could not be fetched (${entry.reason ?? 'unknown'})`,
      }
    if (entry.state === 'denied' && denyOnForbidden)
      return { rule: 'robots-disallowed', message: 'requested although robots.txt returned 401 or 403' }
    const ageMs = at - (entry.checkedAt ?? at)
    if (ageMs > (entry.outage === true ? MAX_OUTAGE_AGE_MS : MAX_AGE_MS))
      return {
        rule: 'robots-stale',
        message: `requested with a robots.txt that was ${Math.round(ageMs / 3_600_000)} hours old`,
      }
    if (rules === undefined) {
      if (entry.state === 'file') this.unchecked++
      return OK
    }
    const verdict = rules.judge(url)
    this.#decided(count, url, verdict.allowed, verdict.line)
    return verdict.allowed
      ? OK
      : {
          rule: 'robots-disallowed',
          message: `requested although robots.txt disallows it (${verdict.reason})`,
        }
  }

  skipped(url: string, version: RobotsVersion | undefined): void {
    const rules = version && this.#texts.rules(version)
    if (version === undefined || rules === undefined) return
    const verdict = rules.judge(url)
    this.#decided(this.#countOf(version, rules), url, verdict.allowed, verdict.line)
  }

  result(): CertifiedRobots[] {
    return this.#versions.map(({ entry, bytes, crawlDelayMs, requests, decisions }) => {
      const { origin, state, checkedAt, reason, hash } = entry
      return {
        ...{ origin, state, requests },
        ...withoutUndefined({ reason, hash, bytes, crawlDelayMs }),
        ...(checkedAt !== undefined && { checkedAt: new Date(checkedAt).toISOString() }),
        decisions: [...decisions.values()]
          .sort((a, b) => b.urls - a.urls || (a.line ?? 0) - (b.line ?? 0))
          .slice(0, MAX_DECISIONS),
      }
    })
  }

  /** A version that was only revalidated is not counted again. */
  #countOf({ entry, bytes }: RobotsVersion, rules: RobotsRules | undefined): VersionCount {
    const found = this.#versions.findLast(({ entry: other }) => isSame(other, entry))
    if (found !== undefined) return found
    const { crawlDelayMs } = rules ?? {}
    const count: VersionCount = { entry, bytes, crawlDelayMs, requests: 0, decisions: new Map() }
    this.#versions.push(count)
    if (this.#versions.length > MAX_VERSIONS) this.#versions.shift()
    return count
  }

  #decided(
    count: VersionCount,
    url: string,
    allowed: boolean,
    line?: { number: number; text: string },
  ): void {
    const key = line?.number ?? 0
    const known = count.decisions.get(key)
    if (known !== undefined) known.urls++
    else if (count.decisions.size < MAX_COUNTED_LINES)
      count.decisions.set(key, {
        ...{ allowed, urls: 1, example: url },
        ...(line !== undefined && { line: line.number, text: line.text }),
      })
  }
}

interface VersionCount {
  readonly entry: RobotsEntry
  readonly bytes: number | undefined
  readonly crawlDelayMs: number | undefined
  requests: number
  /** By line; 0: no line. */
  readonly decisions: Map<number, { -readonly [K in keyof RobotsDecisionCount]: RobotsDecisionCount[K] }>
}

const MAX_VERSIONS = 20
const MAX_DECISIONS = 20
const MAX_COUNTED_LINES = 1_000

function isSame(a: RobotsEntry, b: RobotsEntry): boolean {
  return a.origin === b.origin && a.state === b.state && a.hash === b.hash && a.outage === b.outage
}
