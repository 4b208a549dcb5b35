import type { DedupRequest, DedupResult } from '../../domain/crawldb/crawl-db-requests.ts'
import { statusCode } from '../../domain/crawldb/crawl-status.ts'
import type { NextVersion } from './crawl-versions.ts'
import type { RuleQueries } from './rule-queries.ts'
import { joinByUrl, urlRows } from './write-urls.ts'

/** Finds groups of equal content in SQL and applies the duplicate rules to each, on the executors. */
export async function dedupOnSpark(
  next: NextVersion,
  rules: RuleQueries,
  request: DedupRequest,
): Promise<DedupResult> {
  const scope = { none: "''", host: 'u.host', domain: 'h.domain' }[request.group ?? 'none']
  const { groups, copies } = await next.keep(
    'copies',
    `SELECT copy_group, url, host, score, last_fetch_time, place FROM (
       SELECT *, count(*) OVER (PARTITION BY copy_group) AS size, row_number() OVER (PARTITION BY copy_group ORDER BY url) AS place FROM (
         SELECT concat(u.signature, ' ', ${scope}) AS copy_group, u.url, u.host, u.score, u.last_fetch_time
         FROM urls u ${request.group === 'domain' ? 'JOIN hosts h ON h.host = u.host' : ''}
         WHERE u.signature IS NOT NULL AND u.status IN (${statusCode('db_fetched')}, ${statusCode('db_notmodified')})
       )
     ) WHERE size > 1`,
    { groups: 'count_if(place = 1)', copies: 'count(*)' },
  )
  if (groups === 0) return { groups: 0, duplicates: 0 }
  const { order } = request
  const { duplicates } = await next.keep(
    'losers',
    await rules.apply(
      { task: 'duplicates', now: 0, ...(order !== undefined && { order }) },
      'SELECT * FROM copies DISTRIBUTE BY copy_group SORT BY copy_group',
      'url STRING, host STRING',
      copies,
    ),
    { duplicates: 'count(*)' },
  )
  await next.write(
    'urls',
    urlRows(
      { status: `CASE WHEN c.url IS NULL THEN u.status ELSE ${statusCode('db_duplicate')} END` },
      joinByUrl('losers'),
    ),
  )
  return { groups, duplicates }
}
