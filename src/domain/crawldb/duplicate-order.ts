import { ConfigurationError } from '../../base/crawl-error.ts'
import type { CrawlRecord } from './crawl-record.ts'

/** A page among others with the same content. */
export type Candidate = Pick<CrawlRecord, 'url' | 'score' | 'lastFetchTime'>

/**
 * What speaks for a page. `score`: the higher. `fetchTime`: the one really fetched later. `urlLength`: the shorter URL, escapes
 * counted as what they stand for. `httpsOverHttp`: https, between URLs that differ in nothing else.
 */
export type DuplicateRule = 'score' | 'fetchTime' | 'urlLength' | 'httpsOverHttp'

/** Nutch's order. */
export const DEFAULT_DUPLICATE_ORDER: readonly DuplicateRule[] = ['score', 'fetchTime', 'urlLength']

/** Negative when `a` is to be kept, positive when `b` is; 0 when no rule of `order` decides. */
export function compareDuplicates(
  a: Candidate,
  b: Candidate,
  order: readonly DuplicateRule[] = DEFAULT_DUPLICATE_ORDER,
): number {
  for (const rule of order) {
    const decision = RULES[rule](a, b)
    if (decision !== 0) return decision
  }
  return 0
}

/**
 * Splits pages with the same content into the one that is kept and the rest. Where no rule decides, the URL that sorts first stays, so the
 * outcome does not depend on the order of `group`.
 */
export function splitDuplicates<T extends Candidate>(
  group: readonly T[],
  order: readonly DuplicateRule[] = DEFAULT_DUPLICATE_ORDER,
): { kept: T | undefined; duplicates: T[] } {
  // httpsOverHttp looks at pairs and can go in circles with the other rules: only a fixed order of comparing makes the outcome one.
  const sorted = group.toSorted((a, b) => (a.url < b.url ? -1 : Number(a.url > b.url)))
  let kept: T | undefined
  const duplicates: T[] = []
  for (const page of sorted) {
    if (kept !== undefined && compareDuplicates(kept, page, order) <= 0) {
      duplicates.push(page)
    } else {
      if (kept !== undefined) duplicates.push(kept)
      kept = page
    }
  }
  return { kept, duplicates }
}

/** Reads a list such as `score,fetchTime,urlLength`; throws a `ConfigurationError` for an unknown, missing or repeated rule. */
export function parseDuplicateOrder(text: string): DuplicateRule[] {
  const order: DuplicateRule[] = []
  for (const name of text.split(',').map((part) => part.trim())) {
    if (!isRule(name)) {
      throw new ConfigurationError(
        'SETTING_INVALID',
        `unknown rule "${name}" in "${text}"; use ${Object.keys(RULES).join(', ')}`,
      )
    }
    if (order.includes(name))
      throw new ConfigurationError('SETTING_INVALID', `"${name}" stands twice in "${text}"`)
    order.push(name)
  }
  const missing = DEFAULT_DUPLICATE_ORDER.filter((rule) => !order.includes(rule))
  if (missing.length > 0)
    throw new ConfigurationError('SETTING_INVALID', `add ${missing.join(', ')} to "${text}"`)
  return order
}

const RULES: Record<DuplicateRule, (a: Candidate, b: Candidate) => number> = {
  score: (a, b) => b.score - a.score,
  fetchTime: (a, b) => b.lastFetchTime - a.lastFetchTime,
  urlLength: (a, b) => decodedLength(a.url) - decodedLength(b.url),
  httpsOverHttp: (a, b) => {
    if (a.url === `https${b.url.slice('http'.length)}` && b.url.startsWith('http:')) return -1
    return b.url === `https${a.url.slice('http'.length)}` && a.url.startsWith('http:') ? 1 : 0
  },
}

function isRule(name: string): name is DuplicateRule {
  return Object.hasOwn(RULES, name)
}

function decodedLength(url: string): number {
  try {
    return [...decodeURIComponent(url)].length
  } catch {
    return [...url].length
  }
}
