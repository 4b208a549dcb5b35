import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Rules } from '../../src/adapters/config/build-rules.ts'
import { CandidateUrl } from '../../src/domain/url/candidate-url.ts'
import type { ListedUrl } from './breadth-first-list.ts'

/** URLs that the list and the crawl treat differently, for one reason. */
export interface Difference {
  readonly reason: string
  /** `false`: a URL that can be fetched was not, and the crawl has no record that says why. */
  readonly recorded: boolean
  readonly count: number
  /** The first few. */
  readonly urls: readonly string[]
}

export interface Comparison {
  /** URLs of the list that the server responds with 200. */
  readonly listed: number
  /** Those of them that the crawl fetched. */
  readonly fetched: number
  /** URLs of the list that the crawl did not fetch, by reason; most frequent first. */
  readonly notFetched: readonly Difference[]
  /** URLs that the crawl fetched and that are not in the list. */
  readonly notListed: readonly string[]
}

export interface CrawlToCompare {
  /** Other origins of the crawl are ignored. */
  readonly origin: string
  /** `readdb --dump` of the crawl, as JSONL. */
  readonly dumpFile: string
  readonly rules: Pick<Rules, 'normalize' | 'filter'>
  /** What `orbweaver explain` says of a URL. */
  explain(url: string): Promise<string>
}

const FETCHED = new Set(['db_fetched', 'db_notmodified', 'db_duplicate'])
const MAX_EXAMPLES = 5
/** URLs without a record that are explained one by one, as `explain` takes a while. More of them count as unrecorded. */
const MAX_EXPLAINED = 40
/** Explained URLs of those that are behind nofollow: the others have the same reason. */
const MAX_NOFOLLOW = 2

/** Compares what a crawl of one site fetched with a plain breadth-first list of the site. */
export async function compareCrawl(
  list: ReadonlyMap<string, ListedUrl>,
  { origin, dumpFile, rules, explain }: CrawlToCompare,
): Promise<Comparison> {
  const statuses = await readStatuses(dumpFile, origin)
  const wanted = new Set<string>()
  const differences = new Map<string, { recorded: boolean; count: number; urls: string[] }>()
  const explainedUrls = { followed: 0, nofollow: 0 }
  let nofollowReason: Reason | undefined
  const reasonFor = async (url: string, nofollow: boolean): Promise<Reason> => {
    const verdict = rules.filter.judge(new CandidateUrl(url))
    if (!verdict.accepted) return { reason: shortened(verdict.rule), recorded: true }
    if (nofollow && ++explainedUrls.nofollow > MAX_NOFOLLOW && nofollowReason !== undefined)
      return nofollowReason
    if (!nofollow && ++explainedUrls.followed > MAX_EXPLAINED)
      return { reason: 'accepted by the rules, not explained', recorded: false }
    const reason = readExplanation(await explain(url), statuses.get(url))
    if (nofollow) nofollowReason = reason
    return reason
  }
  const differ = (url: string, reason: string, recorded: boolean) => {
    const difference = differences.get(reason) ?? { recorded, count: 0, urls: [] }
    differences.set(reason, difference)
    difference.count++
    if (difference.urls.length < MAX_EXAMPLES) difference.urls.push(url)
  }
  let fetched = 0
  for (const { url, httpStatus, nofollow } of list.values()) {
    const normalized = rules.normalize(url)
    if (!normalized.ok) {
      if (httpStatus === 200) differ(url, normalized.detail, true)
      continue
    }
    if (wanted.has(normalized.url)) continue
    wanted.add(normalized.url)
    if (httpStatus !== 200) continue
    if (FETCHED.has(statuses.get(normalized.url) ?? '')) fetched++
    else {
      const { reason, recorded } = await reasonFor(normalized.url, nofollow)
      differ(normalized.url, reason, recorded)
    }
  }
  const notFetched = Array.from(differences, ([reason, difference]) => ({ reason, ...difference }))
  const missing = notFetched.reduce((sum, { count }) => sum + count, 0)
  return {
    listed: fetched + missing,
    fetched,
    notFetched: notFetched.sort((a, b) => b.count - a.count),
    notListed: [...statuses]
      .filter(([url, status]) => FETCHED.has(status) && !wanted.has(url))
      .map(([url]) => url),
  }
}

interface Reason {
  readonly reason: string
  readonly recorded: boolean
}

/** The reason in what `explain` printed. @param status of its record, if there is one */
function readExplanation(text: string, status: string | undefined): Reason {
  const lines = text.split('\n')
  if (status !== undefined) {
    const fetch = lines.findLast((line) => line.startsWith('fetch '))?.replace(/^fetch +\S+ +/, '')
    return { reason: shortened(`${status}: ${fetch ?? 'not fetched yet'}`), recorded: true }
  }
  const dropped = lines
    .map((line) => /^dropped {2}on .* by (.*)$/.exec(line)?.[1])
    .find((rule) => rule !== undefined)
  const none = lines.find((line) => line.startsWith('record   none: '))?.slice('record   none: '.length)
  const reason = dropped ?? none ?? 'no record'
  return { reason: shortened(reason), recorded: dropped !== undefined }
}

async function readStatuses(dumpFile: string, origin: string): Promise<Map<string, string>> {
  const statuses = new Map<string, string>()
  for await (const line of createInterface({ input: createReadStream(dumpFile) })) {
    const { url, status } = JSON.parse(line) as { url: string; status: string }
    if (url.startsWith(`${origin}/`)) statuses.set(url, status)
  }
  return statuses
}

function shortened(text: string): string {
  return text.length <= 110 ? text : `${text.slice(0, 70)} … ${text.slice(-35)}`
}
