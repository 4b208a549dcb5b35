import { setImmediate as nextTurn } from 'node:timers/promises'
import { VARCHAR } from '@duckdb/node-api'
import { findRegisteredDomain } from '../../domain/url/registered-domain.ts'
import type { Session, StagedTable } from './session.ts'

/** The host of a normalised URL in SQL, as `hostOf` has it. */
export function hostSql(url: string): string {
  const authority = `split_part(${url}, '/', 3)`
  return `CASE WHEN contains(${authority}, ':') THEN regexp_replace(${authority}, ':\\d+$', '') ELSE ${authority} END`
}

/** Column values of a record that was never fetched, unless the source gives others. */
const DEFAULTS: Readonly<Record<string, string>> = {
  status: '1',
  fetch_time: '0',
  fetch_interval: '0',
  modified_time: '0',
  last_fetch_time: '0',
  content_time: '0',
  retries: '0',
  score: '0',
  signature: 'NULL',
  etag: 'NULL',
  last_modified: 'NULL',
  metadata: 'NULL',
  generated_in: 'NULL',
  http_status: 'NULL',
  protocol_status: 'NULL',
}

/** The columns of a record, without its URL and host. */
export const RECORD_COLUMN_NAMES: readonly string[] = Object.keys(DEFAULTS)

/** A query for URLs that are not in the db. */
export interface NewUrlSource {
  /** Selects `fp`, `url`, `host` and the columns in `columns`; each URL once. */
  readonly rows: string
  /** Record columns that `rows` selects. */
  readonly columns: readonly string[]
  /** Selects `host`; each host at least once. */
  readonly hosts: string
}

/** Prepares to add URLs and their hosts. */
export async function prepareNewUrls(
  session: Session,
  sources: readonly NewUrlSource[],
): Promise<{ write(): Promise<number> }> {
  const hosts = await prepareNewHosts(session, sources.map((source) => source.hosts).join(' UNION ALL '))
  return {
    async write() {
      await hosts.write()
      let added = 0
      for (const { rows, columns } of sources) {
        const values = Object.entries(DEFAULTS).map(([name, value]) =>
          columns.includes(name) ? `n.${name}` : value,
        )
        added += await session.run(`
          INSERT INTO urls SELECT n.fp, n.url, h.id, ${values.join(', ')} FROM (${rows}) n JOIN hosts h ON h.host = n.host`)
      }
      return added
    },
  }
}

/**
 * Prepares to add new hosts. Their registered domains come from the public suffix list, which is not available in SQL. Hosts and domains
 * are passed as lines of a few texts, because it takes 2.6 µs to read a value.
 * @param select a query for `host`; a host may occur several times
 */
export async function prepareNewHosts(session: Session, select: string): Promise<{ write(): Promise<void> }> {
  await session.run(`
    CREATE TEMP TABLE new_hosts AS
    SELECT string_agg(host, chr(10)) AS hosts
    FROM (SELECT host, row_number() OVER () AS n FROM (SELECT DISTINCT host FROM (${select})) WHERE host NOT IN (SELECT host FROM hosts))
    GROUP BY n // ${HOSTS_PER_TEXT}`)
  // Most updates have no new host.
  let staged: StagedTable | undefined
  for await (const batch of session.batches<{ hosts: string }>('new_hosts')) {
    for (const { hosts } of batch) {
      staged ??= await session.stage('new_domains', { hosts: VARCHAR, domains: VARCHAR })
      staged.add(hosts, hosts.split('\n').map(findRegisteredDomain).join('\n'))
      await nextTurn()
    }
  }
  staged?.close()
  return {
    async write() {
      if (staged !== undefined)
        await session.run(`
          INSERT INTO hosts (id, host, domain)
          SELECT (SELECT coalesce(max(id), 0) FROM hosts) + row_number() OVER (), host, domain
          FROM (SELECT unnest(string_split(hosts, chr(10))) AS host, unnest(string_split(domains, chr(10))) AS domain FROM new_domains)`)
      // Others may come to be prepared in the same session.
      await session.run(`DROP TABLE new_hosts${staged === undefined ? '' : '; DROP TABLE new_domains'}`)
    },
  }
}

/** A text of them blocks the main thread for a few milliseconds. */
const HOSTS_PER_TEXT = 1_000
