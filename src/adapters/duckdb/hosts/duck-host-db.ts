import { BOOLEAN, VARCHAR } from '@duckdb/node-api'
import type {
  HostAggregates,
  HostCheck,
  HostChoice,
  HostDb,
  PurgeRequest,
  PurgeResult,
} from '../../../domain/crawldb/host-db.ts'
import { holding, type SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import type { Database } from '../database.ts'
import type { Session } from '../session.ts'
import { addHostFacts, gatherHostFacts } from './host-facts.ts'

/** The HostDb in the DuckDB file of a crawl. Each method that changes data is one transaction. */
export class DuckHostDb implements HostDb {
  readonly #database: Database
  readonly #folder: SegmentFolder

  constructor(database: Database, folder: SegmentFolder) {
    this.#database = database
    this.#folder = folder
  }

  async aggregate({ segments, signal, ...fields }: HostAggregates): Promise<number> {
    const { aggregateHosts } = await import('./aggregate-hosts.ts')
    const files = await this.#fetchFiles(segments)
    return holding(this.#folder, files, () =>
      this.#database.change((session) => aggregateHosts(session, files, fields), signal),
    )
  }

  async rebuild(segments: readonly string[], signal?: AbortSignal): Promise<number> {
    const files = await this.#fetchFiles(segments)
    return holding(this.#folder, files, () =>
      this.#database.change(async (session) => {
        await gatherHostFacts(session, files, false)
        await session.run(
          'CREATE TEMP TABLE old_checks AS SELECT host_id, checked_at, resolved FROM host_facts WHERE checked_at IS NOT NULL',
        )
        await session.begin()
        await session.run(
          `DELETE FROM host_facts; DELETE FROM host_values WHERE field IN ('protocol', 'content_type')`,
        )
        await addHostFacts(session)
        await session.run(
          'UPDATE host_facts SET checked_at = o.checked_at, resolved = o.resolved FROM old_checks o WHERE o.host_id = host_facts.host_id',
        )
        return countFacts(session)
      }, signal),
    )
  }

  hostsToCheck(which: HostChoice, checkedBefore: number): Promise<string[]> {
    return this.#database.read(async (session) => {
      const rows = await session.all<{ host: string }>(`
        SELECT h.host FROM hosts h LEFT JOIN host_facts f ON f.host_id = h.id
        WHERE ${CHOICES[which]} AND coalesce(f.checked_at, 0) < ${Math.round(checkedBefore)}
          AND h.id IN (SELECT host_id FROM urls) ORDER BY h.host`)
      return rows.map(({ host }) => host)
    })
  }

  recordChecks(checks: readonly HostCheck[], now: number): Promise<void> {
    return this.#database.change(async (session) => {
      const staged = await session.stage('checks', { host: VARCHAR, resolved: BOOLEAN })
      for (const { host, resolved } of checks) staged.add(host, resolved)
      staged.close()
      await session.begin()
      await session.run(`
        INSERT INTO host_facts (
          host_id, fetches, responses, dns_failures, connection_failures, server_errors, failures_in_a_row, robots_denied, response_ms_sum, bytes)
        SELECT h.id, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM checks c JOIN hosts h ON h.host = c.host
        WHERE h.id NOT IN (SELECT host_id FROM host_facts)`)
      await session.run(`
        UPDATE host_facts SET checked_at = ${Math.round(now)}, resolved = c.resolved,
          dns_failures = dns_failures + (NOT c.resolved)::UINTEGER, failures_in_a_row = failures_in_a_row + (NOT c.resolved)::UINTEGER,
          last_failure = CASE WHEN c.resolved THEN last_failure ELSE 'the name could not be resolved' END
        FROM checks c JOIN hosts h ON h.host = c.host WHERE host_facts.host_id = h.id`)
    })
  }

  async purgeFailed(request: PurgeRequest): Promise<PurgeResult> {
    const { purgeHosts } = await import('./purge-hosts.ts')
    return this.#database.change((session) => purgeHosts(session, request))
  }

  async restore(host: string, now: number): Promise<number> {
    const { restoreHost } = await import('./purge-hosts.ts')
    return this.#database.change((session) => restoreHost(session, host, now))
  }

  async #fetchFiles(segments: readonly string[]): Promise<string[]> {
    const files: string[][] = []
    for (const segment of segments) files.push([...((await this.#folder.files(segment))?.crawl_fetch ?? [])])
    return files.flat()
  }
}

const CHOICES: Readonly<Record<HostChoice, string>> = {
  all: 'true',
  new: 'f.checked_at IS NULL AND coalesce(f.responses, 0) = 0',
  known: 'f.resolved',
  failed: 'f.failures_in_a_row > 0',
}

async function countFacts(session: Session): Promise<number> {
  const { hosts } = await session.one<{ hosts: number }>('SELECT count(*)::DOUBLE AS hosts FROM host_facts')
  return hosts
}
