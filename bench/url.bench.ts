/** URL functions on one core: rate per second, compared with Node.js in the same run. */
import { hash } from 'node:crypto'
import { RE2JS } from 're2js'
import { wallClock } from '../src/base/clock.ts'
import { CandidateUrl } from '../src/domain/url/candidate-url.ts'
import { DEFAULT_RULES } from '../src/domain/url/default-rules.ts'
import { fingerprint64, fingerprint128 } from '../src/domain/url/fingerprint.ts'
import { createLinkResolver } from '../src/domain/url/link-resolver.ts'
import { normalizeUrl } from '../src/domain/url/normalize-url.ts'
import { registeredDomain } from '../src/domain/url/registered-domain.ts'
import { parseRuleFile } from '../src/domain/url/rule-file.ts'
import { trapFilter } from '../src/domain/url/trap-filter.ts'

const COUNT = 5_000
const ROUNDS = 60
const PAGE = 'https://www.example.com/news/politics/today.html'

interface Row {
  /** The others are measured against this one. */
  readonly peer?: true
  readonly what: string
  readonly inputs: readonly string[]
  readonly work: (input: string) => unknown
}

export function run(): void {
  const normal = make(
    (i) => `https://www.site-${i % 500}.com/news/politics/${i}/a-title-of-some-length.html?id=${i}`,
  )
  const messy = make(
    (i) => `HTTP://Site-${i % 500}.com:80/a/../News/%7Euser/${i};jsessionid=${i}?b=[${i}]&&sid=1#top`,
  )
  const links = make((i) => LINKS[i % LINKS.length]?.(i) ?? '')
  const rules = parseRuleFile(DEFAULT_RULES, 'default')
  const trap = trapFilter(wallClock)
  const linearRules = DEFAULT_RULES.split('\n')
    .filter((line) => /^[+-]/.test(line))
    .map((line) => RE2JS.compile(line.slice(1)))

  compare('fingerprints', [
    { what: 'fingerprint64', inputs: normal, work: fingerprint64 },
    { what: 'fingerprint128', inputs: normal, work: fingerprint128 },
    {
      peer: true,
      what: 'node:crypto hash, as a number',
      inputs: normal,
      work: (url) => BigInt(`0x${hash('md5', url)}`),
    },
  ])
  compare('normalising URLs in normal form', [
    { what: 'normalizeUrl', inputs: normal, work: (url) => normalizeUrl(url) },
    { peer: true, what: 'new URL(url).href', inputs: normal, work: (url) => new URL(url).href },
  ])
  compare('normalising messy URLs', [
    { what: 'normalizeUrl', inputs: messy, work: (url) => normalizeUrl(url) },
    { peer: true, what: 'new URL(url).href', inputs: messy, work: (url) => new URL(url).href },
  ])
  compare('resolving the links of a page', [
    { what: 'createLinkResolver', inputs: links, work: createLinkResolver(PAGE, normalizeUrl) },
    { peer: true, what: 'new URL(href, page).href', inputs: links, work: (href) => new URL(href, PAGE).href },
  ])
  compare('filters', [
    { what: 'default rule file', inputs: normal, work: (url) => rules.judge(new CandidateUrl(url)) },
    {
      peer: true,
      what: 'its patterns, all by re2js',
      inputs: normal,
      work: (url) => linearRules.some((rule) => rule.test(url)),
    },
    { what: 'trap filter', inputs: normal, work: (url) => trap.judge(new CandidateUrl(url)) },
    {
      what: 'registered domain',
      inputs: normal,
      work: (url) => registeredDomain(new CandidateUrl(url).host),
    },
  ])
}

/** Typical links: from the root, relative to the page, to its parent, and to other hosts. */
const LINKS: ReadonlyArray<(i: number) => string> = [
  (i) => `/news/economy/${i}/a-title-of-some-length.html`,
  (i) => `article-${i}.html`,
  (i) => `../sport/article-${i}.html#comments`,
  (i) => `https://www.site-${i % 500}.com/news/${i}/`,
  (i) => `/search?q=topic+${i}&page=2`,
]

function make(url: (i: number) => string): string[] {
  return Array.from({ length: COUNT }, (_, i) => url(i))
}

function compare(title: string, rows: readonly Row[]): void {
  const measured = rates(rows)
  const peer = measured[rows.findIndex((row) => row.peer)] ?? 1
  console.log(`${title}\n${'-'.repeat(title.length)}`)
  for (const [i, { what }] of rows.entries()) {
    const perSecond = measured[i] ?? 0
    const ratio = (perSecond / peer).toFixed(1)
    console.log(`${what.padEnd(32)}${(perSecond / 1e6).toFixed(2).padStart(8)} M/s${ratio.padStart(8)} x`)
  }
  console.log()
}

/**
 * Inputs per second of each row. The rows take turns, and the best of many short rounds counts: what else the machine
 * does can only slow a round down, and hits all rows alike.
 */
function rates(rows: readonly Row[]): number[] {
  const best = rows.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { inputs, work }] of rows.entries()) {
      const start = performance.now()
      for (const input of inputs) work(input)
      best[i] = Math.min(best[i] ?? 0, performance.now() - start)
    }
  }
  return best.map((ms) => (COUNT * 1_000) / ms)
}
