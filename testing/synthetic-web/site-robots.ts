/** What a site responds to /robots.txt. */
export interface SiteRobots {
  readonly status: 200 | 403 | 404 | 503
  readonly text: string
  /** Seconds between two requests. */
  readonly crawlDelaySeconds?: number
  /** The rules for us: of those that match, the longest decides; `*` and a `$` at the end are as in RFC 9309. */
  readonly rules: ReadonlyArray<readonly ['allow' | 'disallow', string]>
}

/** Whether a URL may be requested. `unknown`: robots.txt is not available, so it may not. */
export type Access = 'allowed' | 'denied' | 'unknown'

/** What a polite crawler makes of it for a path with its query; the plain reading of the rules, for a test to compare with. */
export function accessTo(path: string, { status, rules }: SiteRobots): Access {
  // RFC 9309, 2.3.1.3: any 4xx means that there are no rules.
  if (status === 403 || status === 404) return 'allowed'
  if (status === 503) return 'unknown'
  const [longest] = rules
    .filter(([, pattern]) => matches(path, pattern))
    .toSorted(([a, x], [b, y]) => y.length - x.length || a.localeCompare(b))
  return longest?.[0] === 'disallow' ? 'denied' : 'allowed'
}

function matches(path: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${escaped.replace(/\\\$$/, '$')}`).test(path)
}

const COMMON_RULES: SiteRobots['rules'] = [
  ['disallow', '/private/'],
  ['allow', '/private/open'],
  ['disallow', '/*?print='],
  ['disallow', '/*.cgi$'],
]

/** Each kind of robots.txt, for a crawler that is called `agent`. */
export function siteRobots(agent: string) {
  const lines = (rules: SiteRobots['rules']) =>
    rules.map(([verb, pattern]) => `${verb}: ${pattern}`).join('\n')
  const file = (rules: SiteRobots['rules'], head: string, foot = ''): SiteRobots => ({
    status: 200,
    text: `${head}\n${lines(rules)}\n${foot}`,
    rules,
  })
  return {
    common: file(COMMON_RULES, 'User-agent: *'),
    /** A tenth of the pages is forbidden, and one of them is not. */
    strict: file([...COMMON_RULES, ['disallow', '/p/7'], ['allow', '/p/77']], '# ours\nUser-Agent: *'),
    /** All other crawlers are disallowed. */
    byName: file(COMMON_RULES, `User-agent: ${agent}`, '\nUser-agent: *\nDisallow: /\n'),
    slow: { ...file(COMMON_RULES, 'User-agent: *\nCrawl-delay: 0.2'), crawlDelaySeconds: 0.2 },
    missing: { status: 404, text: 'no such file', rules: [] },
    forbidden: { status: 403, text: 'go away', rules: [] },
    broken: { status: 503, text: 'try later', rules: [] },
  } as const satisfies Record<string, SiteRobots>
}
