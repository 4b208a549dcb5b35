import type { HostWait, HostWaits } from '../../domain/crawldb/crawl-db.ts'
import { hostSql } from './new-urls.ts'
import { type Session, sqlText } from './session.ts'

/**
 * Stores until when hosts must wait, from the table `fetched`: generate lists none of their URLs before. Returns the number of hosts whose
 * wait became longer. A robots.txt that could not be fetched does not count: each of its pages is retried in a day anyway.
 * @param latest ms since the epoch; no host waits longer
 */
export async function rememberHostWaits(session: Session, latest: number): Promise<number> {
  return session.run(`
    UPDATE hosts SET not_before = w.until, wait_reason = w.reason
    FROM (
      SELECT ${hostSql('url')} AS host, least(max(retry_at), ${latest})::BIGINT AS until, arg_max(fetch_reason, retry_at) AS reason
      FROM fetched WHERE retry_at IS NOT NULL AND (fetch_status = 'not_reached' OR fetch_http_status IS NOT NULL) GROUP BY ALL
    ) w WHERE hosts.host = w.host AND coalesce(hosts.not_before, 0) < w.until`)
}

/** Selects the ids of hosts that must still wait at `at` (ms since the epoch). */
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
  const first =
    totals.hosts === 0
      ? []
      : await session.all<HostWait>(`${waits} ORDER BY until, urls DESC, host LIMIT ${SHOWN_HOSTS}`)
  return { ...totals, nextAt: nextAt ?? undefined, first }
}

const SHOWN_HOSTS = 10

interface Totals {
  readonly urls: number
  readonly hosts: number
  readonly nextAt: number | null
}
