import { DropCounter, type DropCounts } from '../../base/drop-counts.ts'
import type { JudgeUrl, UpdateRequest, UpdateResult } from '../../domain/crawldb/crawl-db-requests.ts'
import { type DbStatus, statusCode } from '../../domain/crawldb/crawl-status.ts'
import { LAST_LINKED_KEY } from '../../domain/scoring/orphan-rule.ts'
import { truncationReason } from '../../domain/segment/fetch-failure.ts'
import { holding, type SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { type SegmentPart, unmergedParts } from '../duckdb/segment-progress.ts'
import { type EventFiles, filesOfParts } from '../duckdb/update-urls.ts'
import { hostInSpark, RECORD_NAMES } from './crawl-tables.ts'
import type { CrawlVersions, NextVersion } from './crawl-versions.ts'
import { capInlinks, createEventViews, FETCH_EVENT_COLUMNS, LINK_COUNTS } from './gather-events.ts'
import { judgeAllUrls, judgeEventUrls } from './judge-urls.ts'
import type { RuleQueries } from './rule-queries.ts'
import { mergedParts, settleStates, writeParts } from './segment-states.ts'
import { joinByUrl, newUrlRows, RECORD_INPUT, RECORD_RESULT, urlRows, writeHosts } from './write-urls.ts'

/** Merges segments into `urls`. */
export async function updateOnSpark(
  next: NextVersion,
  rules: RuleQueries,
  paths: { readonly segments: SegmentFolder; readonly scratch: string },
  request: UpdateRequest,
): Promise<UpdateResult> {
  const merged = await mergedParts(next.db)
  const parts = await unmergedParts(paths.segments, request.segments, request.force === true ? [] : merged)
  const files = await filesOfParts(paths.segments, parts)
  // Spark reads them again whenever a later query needs them.
  return holding(paths.segments, [...files.fetches, ...files.links], () =>
    updateFrom(next, rules, paths, { merged, parts, files }, request),
  )
}

async function updateFrom(
  next: NextVersion,
  rules: RuleQueries,
  paths: { readonly segments: SegmentFolder; readonly scratch: string },
  {
    merged,
    parts,
    files,
  }: {
    readonly merged: readonly SegmentPart[]
    readonly parts: readonly SegmentPart[]
    readonly files: EventFiles
  },
  request: UpdateRequest,
): Promise<UpdateResult> {
  const { judge, force = false } = request
  const { db } = next
  const purged = await purge(next, request)
  const { pending, closed } = await settleStates(next, paths, request, [...merged, ...parts])
  const isIdle = parts.length === 0 && judge === undefined && request.rules.orphans === undefined
  if (isIdle) {
    if (closed.length > 0)
      await next.write('urls', urlRows({ generated_in: unmarked('u.generated_in', closed) }))
    return { ...NOTHING, purged, pending }
  }
  const counted = await createEventViews(next, files)
  const dropped = counted.drops === 0 ? {} : await fetchDrops(db)
  const judged = judge === undefined ? undefined : await judgeEvents(next, rules, request, judge)
  const { links, ...counts } = await applyEvents(next, rules, request, closed, judged === undefined)
  const hostsPutOff = await writeAllHosts(next, rules, request, counts.added, counted.waits > 0)
  if (!force) addDrops(next, dropped)
  await writeParts(next, merged, parts)
  return {
    fetched: judged?.fetched ?? counted.fetched,
    links: judged?.links ?? links,
    ...counts,
    purged: purged + (judged?.rejected ?? 0),
    parts: parts.length,
    hostsPutOff,
    pending,
    dropped,
  }
}

const NOTHING = { fetched: 0, links: 0, added: 0, changed: 0, parts: 0, hostsPutOff: 0, dropped: {} }

/** Filters and normalises all URLs: those of the events, and those in the db. */
async function judgeEvents(
  next: NextVersion,
  rules: RuleQueries,
  { maxInlinks = DEFAULT_MAX_INLINKS }: UpdateRequest,
  judge: JudgeUrl,
): Promise<{ links: number; fetched: number; rejected: number }> {
  const keep = () => next.keep('inlinks', 'SELECT * FROM inlinks', LINK_COUNTS)
  let { links, most } = await keep()
  if (most > maxInlinks) {
    await capInlinks(next, maxInlinks)
    ;({ links } = await keep())
  }
  const fetched = await judgeEventUrls(next, rules, judge)
  return { links, fetched, rejected: await judgeAllUrls(next, rules, judge) }
}

const DEFAULT_MAX_INLINKS = 10_000

/** Deletes gone pages and orphans if requested; returns how many. */
async function purge(next: NextVersion, { purgeGone, purgeOrphans }: UpdateRequest): Promise<number> {
  const statuses: DbStatus[] = []
  if (purgeGone === true) statuses.push('db_gone')
  if (purgeOrphans === true) statuses.push('db_orphan')
  if (statuses.length === 0) return 0
  const codes = statuses.map(statusCode).join(', ')
  const { n } = await next.db.one<{ n: number }>(`SELECT count(*) AS n FROM urls WHERE status IN (${codes})`)
  if (n === 0) return 0
  await next.write('urls', urlRows({}, '', `u.status NOT IN (${codes})`))
  await next.useWritten('urls')
  return n
}

/**
 * Updates `urls` from the views `fetched`, `inlinks` and `redirects`, which have one row per URL. The rules update fetched URLs and
 * redirect targets, on the executors. Most URLs were only linked: with a plain scoring SQL adds the scores of their links.
 * @param closed segments whose marks are cleared
 * @param caps whether `maxInlinks` is still to be applied
 */
async function applyEvents(
  next: NextVersion,
  ruleQueries: RuleQueries,
  { rules, now, maxInlinks = DEFAULT_MAX_INLINKS }: UpdateRequest,
  closed: readonly string[],
  caps: boolean,
): Promise<{ links: number; added: number; changed: number }> {
  const { db } = next
  const inBulk = rules.scoring.plain === true && rules.orphans === undefined
  const locate = () => next.keep('located', locatedUrls(inBulk), { ...LINK_COUNTS, ...EVENT_COUNTS })
  let located = await locate()
  if (caps && located.most > maxInlinks) {
    await capInlinks(next, maxInlinks)
    located = await locate()
  }
  const { retryMax, additionsAllowed = true, orphans } = rules
  const plain = {
    ...(retryMax !== undefined && { retryMax }),
    additionsAllowed,
    ...(orphans !== undefined && { orphans }),
  }
  const singles = `SELECT ${EVENT_INPUT} FROM located l WHERE l.single`
  const select = orphans === undefined ? singles : `${singles} UNION ALL ${unlinkedUrls()}`
  let staged = { changed: 0, strangers: 0 }
  if (located.singles > 0 || orphans !== undefined) {
    const results = await ruleQueries.apply(
      { task: 'update', now, rules: plain },
      select,
      `${RECORD_RESULT}, known BOOLEAN`,
      orphans === undefined ? located.singles : undefined,
    )
    staged = await next.keep('staged', results, STAGED_COUNTS)
  } else
    await db.run(
      `CREATE OR REPLACE TEMP VIEW staged AS SELECT r.*, false AS known FROM (SELECT from_json('{}', '${RECORD_RESULT}') AS r) WHERE false`,
    )
  const counts = { ...located, ...staged }
  const found = additionsAllowed ? counts.found : 0
  const { fetchTime, fetchInterval } = rules.schedule.initialise(now)
  const start = rules.scoring.initial({ url: '', score: 0, metadata: {} }, 'link').score
  const strangers = newUrlRows('staged WHERE NOT known', {
    ...Object.fromEntries(RECORD_NAMES.map((name) => [name, name])),
    url: 'url',
    host: hostInSpark('url'),
  })
  const linked = newUrlRows('located WHERE NOT single AND status IS NULL', {
    url: 'url',
    host: 'host',
    score: `${start} + score_sum`,
    fetch_time: String(Math.round(fetchTime)),
    fetch_interval: String(Math.round(fetchInterval)),
  })
  await next.db.run(
    `CREATE OR REPLACE TEMP VIEW new_urls AS ${strangers}${found > 0 ? ` UNION ALL ${linked}` : ''}`,
  )
  if (counts.changed + counts.strangers + counts.linked + found + closed.length > 0)
    await next.write('urls', changedRows(closed), 'SELECT * FROM new_urls')
  return {
    links: counts.links,
    added: counts.strangers + found,
    changed: counts.changed + counts.linked,
  }
}

const EVENT_COUNTS = {
  singles: 'count_if(single)',
  linked: 'count_if(NOT single AND status IS NOT NULL)',
  found: 'count_if(NOT single AND status IS NULL)',
}
const STAGED_COUNTS = { changed: 'count_if(known)', strangers: 'count_if(NOT known)' }

/** Each URL with an event, its record if it is known, and whether the rules must update it (`single`). */
function locatedUrls(inBulk: boolean): string {
  return `
    SELECT e.*, ${RECORD_INPUT} FROM (
      SELECT *, ${hostInSpark('url')} AS host, ${inBulk ? '(fetch_status IS NOT NULL OR redirect_score IS NOT NULL)' : 'true'} AS single
      FROM inlinks FULL JOIN fetched USING (url) FULL JOIN redirects USING (url)
    ) e LEFT JOIN urls u ON u.host = e.host AND u.url = e.url`
}

const EVENT_COLUMNS = [
  ...['score_sum', 'link_count', 'min_depth', 'max_depth', 'redirect_score', 'redirect_metadata'],
  ...FETCH_EVENT_COLUMNS,
]

const EVENT_INPUT = ['url', ...RECORD_NAMES, ...EVENT_COLUMNS].map((name) => `l.${name}`).join(', ')

/** Pages that were linked once and have no event: the rules check whether they are orphans. */
function unlinkedUrls(): string {
  return `
    SELECT u.url, ${RECORD_INPUT}, ${EVENT_COLUMNS.map((name) => `NULL AS ${name}`).join(', ')}
    FROM urls u LEFT ANTI JOIN located l ON l.host = u.host AND l.url = u.url
    WHERE instr(u.metadata, '"${LAST_LINKED_KEY}"') > 0`
}

/** All known URLs: records from the rules, scores of linked pages, and without the marks of closed segments. */
function changedRows(closed: readonly string[]): string {
  const whole = RECORD_NAMES.map((name) => `s.${name}`).join(', ')
  const none = RECORD_NAMES.map((name) => `NULL AS ${name}`).join(', ')
  const changes = `(
    SELECT s.url, true AS whole, ${whole}, NULL AS score_sum FROM staged s WHERE s.known
    UNION ALL SELECT l.url, false AS whole, ${none}, l.score_sum FROM located l WHERE NOT l.single AND l.status IS NOT NULL)`
  const values = Object.fromEntries(
    RECORD_NAMES.map((name) => [name, `CASE WHEN c.whole THEN c.${name} ELSE u.${name} END`]),
  )
  const mark = `CAST(${values['generated_in']} AS BIGINT)`
  return urlRows(
    {
      ...values,
      score:
        'CASE WHEN c.whole THEN c.score WHEN c.url IS NOT NULL THEN CAST(u.score + c.score_sum AS FLOAT) ELSE u.score END',
      generated_in: unmarked(mark, closed),
    },
    joinByUrl(changes),
  )
}

/** A mark, or NULL if it is of a closed segment. */
function unmarked(mark: string, closed: readonly string[]): string {
  return closed.length === 0 ? mark : `CASE WHEN ${mark} IN (${closed.join(', ')}) THEN NULL ELSE ${mark} END`
}

/** Adds new hosts, and stores until when hosts must wait. Returns the number of hosts whose wait became longer. */
async function writeAllHosts(
  next: NextVersion,
  rules: RuleQueries,
  request: UpdateRequest,
  added: number,
  hasWaits: boolean,
): Promise<number> {
  const newHosts = added > 0 ? 'SELECT host FROM new_urls' : undefined
  if (!hasWaits) {
    await writeHosts(next, rules, newHosts)
    return 0
  }
  const latest = request.now + request.rules.schedule.maxIntervalSeconds * 1000
  await next.keep(
    'host_waits',
    `SELECT w.host, w.until, w.reason FROM (
       SELECT ${hostInSpark('url')} AS host, CAST(least(max(retry_at), ${latest}) AS BIGINT) AS until, max_by(fetch_reason, retry_at) AS reason
       FROM fetched WHERE retry_at IS NOT NULL AND (fetch_status = 'not_reached' OR fetch_http_status IS NOT NULL) GROUP BY 1
     ) w LEFT JOIN hosts h ON h.host = w.host WHERE coalesce(h.not_before, 0) < w.until`,
  )
  // Hosts that are not in the table have no URLs, and cannot wait.
  const hosts =
    added > 0 ? 'SELECT host FROM hosts UNION ALL SELECT host FROM new_urls' : 'SELECT host FROM hosts'
  const { n } = await next.db.one<{ n: number }>(
    `SELECT count(*) AS n FROM host_waits w LEFT SEMI JOIN (${hosts}) h ON h.host = w.host`,
  )
  await writeHosts(next, rules, newHosts, n > 0 ? 'host_waits' : undefined)
  return n
}

function addDrops(next: NextVersion, counts: DropCounts): void {
  if (Object.keys(counts).length === 0) return
  const drops = new DropCounter()
  drops.addAll(next.state.drops)
  drops.addAll(counts)
  next.set({ drops: drops.counts() })
}

/** Sums the drops of the fetches. A fetch that is not parsed yet is counted after it was parsed. */
async function fetchDrops(db: CrawlVersions): Promise<DropCounts> {
  const rows = await db.all<{ reason: string; drops: number; cut: boolean }>(`
    SELECT reason, sum(drops) AS drops, false AS cut FROM (
      SELECT explode(from_json(fetch_dropped, 'map<string, bigint>')) AS (reason, drops) FROM fetched WHERE fetch_dropped IS NOT NULL
    ) GROUP BY reason
    UNION ALL
    SELECT fetch_truncated, count(*), true FROM fetched
    WHERE fetch_truncated IS NOT NULL AND score_given IS NOT NULL GROUP BY fetch_truncated`)
  const drops = new DropCounter()
  for (const { reason, drops: count, cut } of rows) drops.add(cut ? truncationReason(reason) : reason, count)
  return drops.counts()
}
