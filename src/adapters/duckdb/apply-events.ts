import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { type DbStatus, statusCode } from '../../domain/crawldb/crawl-status.ts'
import { type RecordRow, recordOf } from '../../domain/crawldb/record-row.ts'
import { type UpdateRules, updateRecord } from '../../domain/crawldb/update-record.ts'
import { LASTMOD_KEY, PRIORITY_KEY, SITEMAP_KEY } from '../../domain/schedule/listed-page.ts'
import { LAST_LINKED_KEY } from '../../domain/scoring/orphan-rule.ts'
import { type EventRow, updatedRecord } from '../../domain/segment/event-row.ts'
import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { hostSql, type NewUrlSource, prepareNewUrls } from './new-urls.ts'
import { RECORD_COLUMNS } from './schema.ts'
import type { Session } from './session.ts'
import { NEW_RECORDS, StagedRecords } from './staged-records.ts'

export interface EventUpdate {
  readonly rules: UpdateRules
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Prepares the update of `urls` from the temporary tables `fetched`, `inlinks` and `redirects`, which have one row per URL.
 *
 * The rules update fetched URLs and redirect targets one record at a time. Most URLs were only linked: with a plain scoring SQL adds the
 * scores of their links, with any other scoring the rules update them as well.
 */
export async function applyEvents(
  session: Session,
  request: EventUpdate,
): Promise<{ write(): Promise<{ added: number; changed: number }> }> {
  const { rules } = request
  const inBulk = rules.scoring.plain === true && rules.orphans === undefined
  await locateUrls(session, inBulk)
  const { singles, strangers, linked, found } = await session.one<LocatedCounts>(LOCATED_COUNTS)
  const records =
    singles > 0 || rules.orphans !== undefined ? await updateSingly(session, request) : undefined
  const sources: NewUrlSource[] = []
  if (strangers > 0) sources.push(NEW_RECORDS)
  if (found > 0 && rules.additionsAllowed !== false) sources.push(newLinked(request))
  const fresh = sources.length === 0 ? undefined : await prepareNewUrls(session, sources)
  return {
    async write() {
      const changed = (await records?.writeChanges()) ?? 0
      const rescored = linked > 0 ? await addScores(session) : 0
      return { added: (await fresh?.write()) ?? 0, changed: changed + rescored }
    },
  }
}

interface LocatedCounts {
  /** URLs whose records are updated by the rules, one at a time. */
  readonly singles: number
  /** Number of new URLs among them. */
  readonly strangers: number
  /** Known URLs that were only linked. */
  readonly linked: number
  /** New URLs that were only linked. */
  readonly found: number
}

const LOCATED_COUNTS = `
  SELECT count(*) FILTER (single)::DOUBLE AS singles, count(*) FILTER (single AND row_id IS NULL)::DOUBLE AS strangers,
    count(*) FILTER (NOT single AND row_id IS NOT NULL)::DOUBLE AS linked,
    count(*) FILTER (NOT single AND row_id IS NULL)::DOUBLE AS found
  FROM located`

/**
 * Creates the table `located` in place of `inlinks`, one row per URL with an event: its row in `urls` if it is known, the sum of its links,
 * and whether the rules must update it (`single`). The join compares fingerprints first: the URL texts take most of the space.
 */
async function locateUrls(session: Session, linksInBulk: boolean): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE targets AS
    SELECT ${fingerprint64Sql('url')} AS fp, * FROM (
      SELECT coalesce(i.url, v.url) AS url, i.* EXCLUDE (url), ${linksInBulk ? 'v.url IS NOT NULL' : 'true'} AS single
      FROM inlinks i FULL JOIN (SELECT url FROM fetched UNION SELECT url FROM redirects) v ON v.url = i.url
    );
    DROP TABLE inlinks`)
  await session.run(
    'CREATE TEMP TABLE hits AS SELECT u.rowid AS row_id FROM urls u SEMI JOIN targets t ON t.fp = u.fp',
  )
  await session.run(`
    CREATE TEMP TABLE located AS
    SELECT t.*, k.row_id, CASE WHEN k.row_id IS NULL THEN ${hostSql('t.url')} END AS host
    FROM targets t LEFT JOIN (
      SELECT u.rowid AS row_id, u.fp, u.url FROM urls u JOIN hits h ON h.row_id = u.rowid
    ) k ON k.fp = t.fp AND k.url = t.url;
    DROP TABLE targets;
    DROP TABLE hits`)
  if (linksInBulk) await noticeListings(session)
}

/**
 * Has the rules update known pages with news in a sitemap or feed: it changed after its last fetch, or it is a sitemap itself. A sitemap may
 * have millions of other pages.
 */
async function noticeListings(session: Session): Promise<void> {
  const { listings } = await session.one<{ listings: number }>(
    'SELECT count(listed)::DOUBLE AS listings FROM located',
  )
  if (listings === 0) return
  await session.run(`
    UPDATE located SET single = true FROM urls u
    WHERE u.rowid = located.row_id AND NOT located.single AND located.listed IS NOT NULL AND (
      (u.last_fetch_time > 0 AND epoch_ms(TRY_CAST(located.listed->>'${LASTMOD_KEY}' AS TIMESTAMP)) > u.last_fetch_time)
      OR (located.listed->>'${SITEMAP_KEY}' IS NOT NULL AND NOT contains(coalesce(u.metadata, ''), '"${SITEMAP_KEY}":')))`)
}

/** Applies the rules to each URL with an event, and to pages that have had no inlink for too long. */
async function updateSingly(session: Session, { rules, now }: EventUpdate): Promise<StagedRecords> {
  await session.run(`
    CREATE TEMP TABLE events AS
    SELECT l.url, l.row_id::DOUBLE AS row_id, l.score_sum, l.link_count, l.min_depth, l.max_depth, l.listed, ${RECORD_COLUMNS},
      f.* EXCLUDE (url), r.* EXCLUDE (url)
    FROM located l
    LEFT JOIN urls u ON u.rowid = l.row_id
    LEFT JOIN fetched f ON f.url = l.url
    LEFT JOIN redirects r ON r.url = l.url
    WHERE l.single`)
  const records = await StagedRecords.open(session)
  for await (const batch of session.batches<EventRow & { readonly row_id: number | null }>('events')) {
    for (const row of batch) {
      const record = updatedRecord(row, rules, now)
      if (record !== undefined) records.add(row.row_id ?? undefined, record)
    }
  }
  if (rules.orphans !== undefined) await sweepOrphans(session, rules, now, records)
  records.close()
  await session.run('DROP TABLE events')
  return records
}

/** Plain scoring in SQL: adds the sum of the link scores to known pages. New pages start with that sum (`newLinked`). */
function addScores(session: Session): Promise<number> {
  return session.run(
    'UPDATE urls SET score = (urls.score + l.score_sum)::FLOAT FROM located l WHERE urls.rowid = l.row_id AND NOT l.single',
  )
}

function newLinked({ rules, now }: EventUpdate): NewUrlSource {
  const { fetchTime, fetchInterval } = rules.schedule.initialise(now)
  const start = rules.scoring.initial({ url: '', score: 0, metadata: {} }, 'link').score
  return {
    rows: `
      SELECT fp, url, host, (${start} + score_sum + ${LISTED_PRIORITY})::FLOAT AS score, ${fetchTime} AS fetch_time,
        ${fetchInterval} AS fetch_interval, ${LISTED_METADATA} AS metadata
      FROM located WHERE row_id IS NULL AND NOT single`,
    columns: ['score', 'fetch_time', 'fetch_interval', 'metadata'],
    hosts: 'SELECT host FROM located WHERE row_id IS NULL AND NOT single',
  }
}

/* A listing of a new URL: the priority is part of the score, the rest is its metadata. */
const LISTED_PRIORITY = `CASE WHEN listed IS NULL THEN 0 ELSE coalesce(TRY_CAST(listed->>'${PRIORITY_KEY}' AS FLOAT), 0) END`
const LISTED_METADATA = `
  CASE WHEN listed IS NULL THEN NULL ELSE nullif(json_merge_patch(listed, '{"${PRIORITY_KEY}": null}')::VARCHAR, '{}') END`

/** Deletes gone pages and orphans if requested; returns how many. */
export async function purge(session: Session, { purgeGone, purgeOrphans }: UpdateRequest): Promise<number> {
  const statuses: DbStatus[] = []
  if (purgeGone === true) statuses.push('db_gone')
  if (purgeOrphans === true) statuses.push('db_orphan')
  if (statuses.length === 0) return 0
  await session.begin()
  return session.run(`DELETE FROM urls WHERE status IN (${statuses.map(statusCode).join(', ')})`)
}

/**
 * Marks pages that were linked once and have had no link for too long as gone or orphans. Pages in `located` are left out: they were
 * checked with their events.
 */
export async function sweepOrphans(
  session: Session,
  rules: UpdateRules,
  now: number,
  records: StagedRecords,
): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE unlinked AS
    SELECT u.rowid::DOUBLE AS row_id, u.url, ${RECORD_COLUMNS}
    FROM urls u ANTI JOIN located l ON l.row_id = u.rowid
    WHERE contains(u.metadata, '"${LAST_LINKED_KEY}"')`)
  for await (const batch of session.batches<RecordRow & { row_id: number }>('unlinked')) {
    for (const row of batch) {
      const old = recordOf(row)
      const record = updateRecord(old, { url: row.url }, rules, now)
      if (record !== undefined && record.status !== old.status) records.add(row.row_id, record)
    }
  }
}
