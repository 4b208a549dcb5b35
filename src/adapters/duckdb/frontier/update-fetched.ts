import { DOUBLE, type DuckDBType, INTEGER, VARCHAR } from '@duckdb/node-api'
import { metadataJson } from '../../../domain/crawldb/record-row.ts'
import type { UpdateRules } from '../../../domain/crawldb/update-record.ts'
import { isPlain } from '../../../domain/frontier/crawl-request.ts'
import type { Scoring } from '../../../domain/scoring/scoring.ts'
import type { FetchedUrlRow } from '../../../domain/segment/event-row.ts'
import type { FetchRow } from '../../../domain/segment/segment-rows.ts'
import { applyEvents } from '../apply-events.ts'
import type { Session } from '../session.ts'
import type { EndedRequest } from './leased-request.ts'

/** The update rules of the CrawlDb for spiders. */
export function spiderRules({ orphans: _, ...rules }: UpdateRules): UpdateRules {
  return { ...rules, scoring: worthOne(rules.scoring) }
}

/**
 * Prepares to update the CrawlDb with the fetches of settled requests and with the new requests in the temporary table `fresh`.
 * Only plain GET requests have a record; a submitted form has none. The record of a request that will be retried does not change.
 */
export async function updateFetched(
  session: Session,
  ended: readonly EndedRequest[],
  rules: UpdateRules,
  now: number,
): Promise<{ write(): Promise<unknown> }> {
  await stageFetches(session, newestFetches(ended))
  await session.run(NEW_LINKS)
  await session.run(NO_REDIRECTS)
  return applyEvents(session, { rules, now })
}

/** Whether `updateFetched` has a fetch to update the CrawlDb with. */
export function isFetched({ lease, settlement }: EndedRequest): boolean {
  const isThrough = settlement.end.kind === 'done' || settlement.end.kind === 'failed'
  return isThrough && settlement.fetch !== undefined && isPlain(lease.request)
}

/** The newest fetch of each URL, since a page may be requested several times. Any response takes precedence over `not_reached`. */
function newestFetches(ended: readonly EndedRequest[]): Iterable<FetchRow> {
  const newest = new Map<string, FetchRow>()
  const weight = ({ status, fetchedAt }: FetchRow) => (status === 'not_reached' ? -1 : fetchedAt)
  for (const request of ended) {
    const { fetch: row } = request.settlement
    if (row === undefined || !isFetched(request)) continue
    const other = newest.get(row.url)
    if (other === undefined || weight(row) >= weight(other)) newest.set(row.url, row)
  }
  return newest.values()
}

async function stageFetches(session: Session, rows: Iterable<FetchRow>): Promise<void> {
  const table = await session.stage('fetched', FETCHED)
  for (const row of rows) {
    const { url, status, fetchedAt, retryAt, validators, signature, scoreGiven, metadata } = row
    const { etag, lastModified } = validators ?? {}
    table.add(
      url,
      status,
      fetchedAt,
      retryAt ?? null,
      etag ?? null,
      lastModified ?? null,
      signature ?? null,
      scoreGiven ?? null,
      metadataJson(metadata ?? {}),
      row.protocolStatus,
      row.httpStatus ?? null,
      row.contentType ?? null,
      row.reason ?? null,
    )
  }
  table.close()
}

/** The columns that `gatherEvents` reads from segments. */
const FETCHED: Readonly<Record<'url' | keyof FetchedUrlRow | 'fetch_reason', DuckDBType>> = {
  url: VARCHAR,
  fetch_status: VARCHAR,
  fetched_at: DOUBLE,
  retry_at: DOUBLE,
  fetch_etag: VARCHAR,
  fetch_last_modified: VARCHAR,
  fetch_signature: VARCHAR,
  score_given: DOUBLE,
  fetch_metadata: VARCHAR,
  fetch_protocol_status: VARCHAR,
  fetch_http_status: INTEGER,
  fetch_content_type: VARCHAR,
  fetch_reason: VARCHAR,
}

/** A start request has depth 1, like a seed. */
const NEW_LINKS = `
  CREATE TEMP TABLE inlinks AS
  SELECT url, 0::DOUBLE AS score_sum, count(*)::DOUBLE AS link_count, min(depth) + 1 AS min_depth, NULL::INTEGER AS max_depth,
    NULL::VARCHAR AS listed
  FROM fresh WHERE plain GROUP BY url`

/** The target of a redirect is a request like any other. */
const NO_REDIRECTS = `
  CREATE TEMP TABLE redirects AS
  SELECT NULL::VARCHAR AS url, NULL::DOUBLE AS redirect_score, NULL::VARCHAR AS redirect_metadata WHERE false`

/** Links of a spider are not scored: the code of the spider chooses the pages. Each page starts with the score of a seed. */
function worthOne(scoring: Scoring): Scoring {
  return {
    ...(scoring.plain === true && { plain: true }),
    injected: (page) => scoring.injected(page),
    initial: (page, how) => ({ ...scoring.initial(page, how), score: 1 }),
    sortValue: (page, value) => scoring.sortValue(page, value),
    distribute: (page, links, found) => scoring.distribute(page, links, found),
    update: (page, received, given) => scoring.update(page, received, given),
    indexBoost: (page, boost) => scoring.indexBoost(page, boost),
  }
}
