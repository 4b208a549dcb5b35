import { join } from 'node:path'
import { DOUBLE, INTEGER, VARCHAR } from '@duckdb/node-api'
import { CountingJudge, DueChooser, lookSizes } from '../../domain/crawldb/choose-due.ts'
import type { GenerateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { statusCode } from '../../domain/crawldb/crawl-status.ts'
import { DAY_SECONDS } from '../../domain/schedule/fetch-schedule.ts'
import { segmentFiles } from '../crawl-directory/segment-files.ts'
import type { SegmentFolder } from '../crawl-directory/segment-folder.ts'
import { fingerprint64Sql } from '../duckdb/fingerprint64-sql.ts'
import { hostSql as duckHostSql } from '../duckdb/new-urls.ts'
import type { Session } from '../duckdb/session.ts'
import { temporaryName, type WrittenList, writeFetchLists } from '../duckdb/write-fetch-lists.ts'
import { checkSparkCondition } from './check-sql.ts'
import { fingerprintSql } from './crawl-tables.ts'
import type { CrawlVersions, NextVersion } from './crawl-versions.ts'
import { needsDuckDb } from './needs-duckdb.ts'
import type { RuleQueries } from './rule-queries.ts'
import { withScratch } from './scratch-database.ts'
import { urlRows } from './write-urls.ts'

export interface ListedUrls {
  readonly lists: readonly WrittenList[]
  readonly rejected: Readonly<Record<string, number>>
}

/**
 * Writes fetch lists to temporary directories and marks their URLs. Spark ranks the due URLs and applies the limits; the best are read
 * here in their order, judged, and dealt out to segments.
 */
export async function generateLists(
  next: NextVersion,
  rules: RuleQueries,
  paths: { readonly segments: SegmentFolder; readonly scratch: string },
  request: GenerateRequest,
): Promise<ListedUrls> {
  const { db } = next
  if (request.urls !== undefined) throw needsDuckDb('a fetch list of chosen URLs')
  if (request.hostLimitExpr !== undefined) throw needsDuckDb('hostDb.maxCountExpr')
  await rankDue(next, rules, request)
  const judge = new CountingJudge(request)
  const lists = await withScratch(paths.scratch, async (session) => {
    const segments = await chooseDue(db, session, request, judge)
    const known = next.state.segments.map(({ name }) => name)
    return writeFetchLists(
      session,
      paths.segments,
      { segments, rejected: {} },
      request,
      CHOSEN_ENTRIES,
      known,
    )
  })
  if (lists.length > 0) await markListed(next, paths.segments.path, lists, request.now)
  return { lists, rejected: Object.fromEntries(judge.reasons) }
}

const CHOSEN_ENTRIES = `SELECT *, ${fingerprint64Sql('url')} AS fp, ${duckHostSql('url')} AS host FROM chosen`

const CHOSEN_COLUMNS = {
  segment: INTEGER,
  part_key: VARCHAR,
  sort_value: DOUBLE,
  url: VARCHAR,
  score: DOUBLE,
  etag: VARCHAR,
  last_modified: VARCHAR,
  signature: VARCHAR,
  metadata: VARCHAR,
}

/** Fills the table `chosen`. Returns the number of URLs by partition key, for each segment. */
async function chooseDue(
  db: CrawlVersions,
  session: Session,
  request: GenerateRequest,
  judge: CountingJudge,
): Promise<readonly ReadonlyMap<string, number>[]> {
  const rejects: string[] = []
  for (const size of lookSizes(request)) {
    const chosen = await session.stage('chosen', CHOSEN_COLUMNS)
    const chooser = new DueChooser(request, judge)
    if (rejects.length > 0)
      await db.viewRows(
        'rejected',
        { url: 'STRING' },
        rejects.map((url) => [url]),
      )
    for await (const batch of db.stream<BestRow>(bestFirst(request, size, rejects.length > 0))) {
      for (const row of batch) {
        if (chooser.full) break
        const place = chooser.choose(row.url)
        if (place === 'rejected') rejects.push(row.url)
        else if (place !== undefined)
          chosen.add(
            ...[place.segment, place.partKey, row.sort_value, row.url, row.score],
            ...[row.etag, row.last_modified, row.signature, row.metadata],
          )
      }
      if (chooser.full) break
    }
    chosen.close()
    if (chooser.isSettled(size)) return chooser.segments
    await session.run('DROP TABLE chosen')
  }
  throw new Error('the last look is at all due URLs')
}

interface BestRow {
  readonly url: string
  readonly sort_value: number
  readonly score: number
  readonly etag: string | null
  readonly last_modified: string | null
  readonly signature: string | null
  readonly metadata: string
}

function bestFirst(
  { maxCount, maxNumSegments = 1 }: GenerateRequest,
  size: number | undefined,
  hasRejects: boolean,
): string {
  const due = hasRejects ? 'due d LEFT ANTI JOIN rejected r ON r.url = d.url' : 'due d'
  // The fingerprint makes the order one, as with DuckDB.
  const order = 'sort_value DESC, fp'
  const isCapped = size !== undefined && maxCount !== undefined
  const rows = isCapped
    ? `(SELECT * FROM (SELECT d.*, row_number() OVER (PARTITION BY key ORDER BY ${order}) AS place FROM ${due})
        WHERE place <= ${maxCount * maxNumSegments})`
    : `(SELECT d.* FROM ${due})`
  return `
    SELECT url, sort_value, CAST(score AS DOUBLE) AS score, etag, last_modified, signature, coalesce(metadata, '{}') AS metadata
    FROM ${rows} ORDER BY ${order} ${size === undefined ? '' : `LIMIT ${size}`}`
}

/** Creates the view `due` of URLs that may be fetched, with `sort_value`, `fp` and the `key` of the limits. */
async function rankDue(next: NextVersion, rules: RuleQueries, request: GenerateRequest): Promise<void> {
  const { scoring, minScore } = request
  const { from, where } = await dueRows(next.db, request)
  const domain = request.countMode === 'domain' ? 'JOIN hosts h ON h.host = u.host' : ''
  const columns = `u.*, ${fingerprintSql('u.url')} AS fp, ${domain === '' ? 'u.host' : 'h.domain'} AS key`
  if (scoring.plain) {
    const enough = minScore === undefined ? '' : `AND u.score >= CAST(${minScore} AS FLOAT)`
    await next.db.run(
      `CREATE OR REPLACE TEMP VIEW due AS
       SELECT ${columns}, CAST(u.score AS DOUBLE) AS sort_value ${from} ${domain} WHERE ${where} ${enough}`,
    )
    return
  }
  const ranks = await rules.apply(
    { task: 'rank', now: request.now, ...(minScore !== undefined && { minScore }) },
    `SELECT u.url, u.score, u.metadata ${from} WHERE ${where}`,
    'url STRING, sort_value DOUBLE',
  )
  await next.keep('ranks', ranks)
  await next.db.run(
    `CREATE OR REPLACE TEMP VIEW due AS
     SELECT ${columns}, k.sort_value FROM urls u JOIN ranks k ON k.url = u.url ${domain}`,
  )
}

/** Due URLs: the fetch time has passed (or is too far ahead, see `FetchSchedule`), on no fetch list, and the host need not wait. */
export function isDueSql(now: number, maxIntervalSeconds: number): { from: string; where: string } {
  return {
    from: `FROM urls u LEFT ANTI JOIN (SELECT host FROM hosts WHERE not_before > ${now}) w ON w.host = u.host`,
    where: `(u.fetch_time <= ${now} OR u.fetch_time > ${now + maxIntervalSeconds * 1000}) AND u.generated_in IS NULL`,
  }
}

async function dueRows(
  db: CrawlVersions,
  request: GenerateRequest,
): Promise<{ from: string; where: string }> {
  const at = request.now + (request.addDays ?? 0) * DAY_SECONDS * 1000
  const { from, where } = isDueSql(at, request.maxIntervalSeconds)
  const statuses = request.restrictStatus?.map(statusCode)
  const isWanted = statuses === undefined ? '' : `AND u.status IN (${[...statuses, -1].join(', ')})`
  const wanted =
    request.expr === undefined
      ? ''
      : `LEFT SEMI JOIN (SELECT url, host FROM crawldb WHERE ${await checkSparkCondition(db, request.expr)}) x ON x.host = u.host AND x.url = u.url`
  return { from: `${from} ${wanted}`, where: `${where} ${isWanted}` }
}

async function markListed(
  next: NextVersion,
  segmentsPath: string,
  lists: readonly WrittenList[],
  now: number,
): Promise<void> {
  const selects: string[] = []
  for (const [i, { name }] of lists.entries()) {
    const { crawl_generate } = await segmentFiles(join(segmentsPath, temporaryName(name)))
    await next.db.viewFiles(`list_${i}`, crawl_generate, { url: 'STRING', host: 'STRING' })
    selects.push(`SELECT url, host, CAST(${name} AS BIGINT) AS segment FROM list_${i}`)
  }
  const marked = urlRows(
    { generated_in: 'coalesce(l.segment, u.generated_in)' },
    `LEFT JOIN (${selects.join(' UNION ALL ')}) l ON l.host = u.host AND l.url = u.url`,
  )
  await next.write('urls', marked)
  const fresh = lists.map(({ name, urls }) => ({ name, urls, createdAt: now, state: 'generated' as const }))
  next.set({ segments: [...next.state.segments, ...fresh] })
}
