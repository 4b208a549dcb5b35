import type { HostWait, HostWaits } from '../../domain/crawldb/crawl-db.ts'
import { hostSql } from './new-urls.ts'
import { type Session, sqlText } from './session.ts'

/**
 * Remembers until when hosts must wait, from the table `fetched`: generate lists none of their URLs before. Returns how many hosts wait
 * longer than they did. A robots.txt that could not be fetched is no reason: each page says so itself, and is tried again in a day.
 * @param latest ms since the epoch; no host waits longer
 */
export async function rememberHostWaits(session: Session, latest: number): Promise<number> {
  return session.run(`
    UPDATE hosts SET not_before = w.until, wait_reason = w.reason
    FROM (
      SELECT ${hostSql('url')} AS host, least(max(retry_at), ${latest})::BIGINT AS until, arg_max(visit_reason, retry_at) AS reason
      FROM fetched WHERE retry_at IS NOT NULL AND (visit = 'not_reached' OR visit_http_status IS NOT NULL) GROUP BY ALL
    ) w WHERE hosts.host = w.host AND coalesce(hosts.not_before, 0) < w.until`)
}

/** `ids` of hosts whose URLs are not to be listed at `at` (ms since the epoch). */
export function waitingHostIds(at: number): string {
  return `SELECT id FROM hosts WHERE not_before > ${at}`
}

export async function readHostWaits(session: Session, now: number, host?: string): Promise<HostWaits> {
  const only = host === undefined ? '' : `AND h.host = ${sqlText(host)}`
  const waits = `
    SELECT h.host, h.not_before::DOUBLE AS until, coalesce(h.wait_reason, '') AS reason, count(*)::DOUBLE AS urls
    FROM hosts h JOIN urls u ON u.host_id = h.id
    WHERE h.not_before > ${now} AND u.generated_in IS NULL AND u.fetch_time <= h.not_before ${only} GROUP BY ALL`
  const { nextAt, ...totals } = await session.one<Totals>(`
    SELECT coalesce(sum(urls), 0)::DOUBLE AS urls, count(*)::DOUBLE AS hosts, min(until) AS "nextAt" FROM (${waits})`)
  const first = await session.all<HostWait>(`${waits} ORDER BY until, urls DESC, host LIMIT ${SHOWN_HOSTS}`)
  return { ...totals, nextAt: nextAt ?? undefined, first }
}

const SHOWN_HOSTS = 10

interface Totals {
  readonly urls: number
  readonly hosts: number
  readonly nextAt: number | null
}
