import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigurationError } from '../../base/crawl-error.ts'
import { Interrupted } from '../../base/interrupted.ts'
import type { MergedRecords } from '../../domain/crawldb/crawl-db.ts'
import { prepareNewUrls, RECORD_COLUMN_NAMES } from './new-urls.ts'
import { DATABASE_FILE } from './open-database.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { type Session, sqlText } from './session.ts'

/**
 * Adds the records of another crawl directory. Of a URL that both have, the record that was fetched last stays. URLs are on no fetch list
 * of the other crawl any more.
 * @throws ConfigurationError if the other directory cannot be read
 */
export async function mergeRecords(session: Session, directory: string): Promise<MergedRecords> {
  await attach(session, directory)
  const columns = RECORD_COLUMN_NAMES.filter((name) => name !== 'generated_in')
  await session.run(`
    CREATE TEMP TABLE incoming AS
    SELECT o.fp, o.url, h.host, ${columns.map((name) => `o.${name}`).join(', ')},
      u.fp IS NOT NULL AS known, o.last_fetch_time > coalesce(u.last_fetch_time, -1) AS newer
    FROM other.urls o JOIN other.hosts h ON h.id = o.host_id LEFT JOIN urls u ON u.fp = o.fp AND u.url = o.url`)
  const rows = 'SELECT * FROM incoming WHERE NOT known'
  const added = await prepareNewUrls(session, [{ rows, columns, hosts: rows }])
  await session.begin()
  const replaced = await session.run(`
    UPDATE urls SET ${columns.map((name) => `${name} = i.${name}`).join(', ')}
    FROM incoming i WHERE urls.fp = i.fp AND urls.url = i.url AND i.known AND i.newer`)
  await session.run(
    'INSERT INTO seed_hosts SELECT * FROM other.seed_hosts WHERE host NOT IN (SELECT host FROM seed_hosts)',
  )
  const { n } = await session.one<{ n: number }>('SELECT count(*)::DOUBLE AS n FROM incoming')
  return { records: n, added: await added.write(), replaced }
}

/**
 * Adds the inverted links of another crawl directory. Of a page that both have links of, the links of its newest fetch stay.
 * @returns the number of links added
 * @throws ConfigurationError if the other directory cannot be read
 */
export async function mergeLinks(session: Session, directory: string): Promise<number> {
  await attach(session, directory)
  await session.run(`
    CREATE TEMP TABLE newer_pages AS
    SELECT o.from_fp, o.from_url
    FROM (SELECT from_fp, from_url, max(segment) AS segment FROM other.links GROUP BY ALL) o
    LEFT JOIN (SELECT from_fp, from_url, max(segment) AS segment FROM links GROUP BY ALL) l USING (from_fp, from_url)
    WHERE l.segment IS NULL OR o.segment > l.segment`)
  await session.begin()
  await session.run(
    'DELETE FROM links USING newer_pages n WHERE links.from_fp = n.from_fp AND links.from_url = n.from_url',
  )
  return session.run(
    'INSERT INTO links SELECT o.* FROM other.links o SEMI JOIN newer_pages n USING (from_fp, from_url)',
  )
}

/**
 * The database file of another crawl directory.
 * @throws ConfigurationError if there is none
 */
export function databaseOf(directory: string): string {
  const file = resolve(join(directory, DATABASE_FILE))
  if (existsSync(file)) return file
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `${directory} is not a crawl directory: there is no ${DATABASE_FILE} in it`,
  )
}

async function attach(session: Session, directory: string): Promise<void> {
  const file = databaseOf(directory)
  try {
    // An earlier merge of this process.
    await session.run('DETACH DATABASE IF EXISTS other')
    await session.run(`ATTACH ${sqlText(file)} AS other (READ_ONLY)`)
  } catch (cause) {
    if (cause instanceof Interrupted) throw cause
    throw new ConfigurationError(
      'CRAWL_MISMATCH',
      `${directory} cannot be read: another command may be using it; wait until it has ended, or stop it (${(cause as Error).message.split('\n')[0]})`,
      { cause },
    )
  }
  const [row] = await session.all<{ value: string }>(
    `SELECT value FROM other.meta WHERE key = 'schema_version'`,
  )
  if (row?.value !== String(SCHEMA_VERSION))
    throw new ConfigurationError(
      'CRAWL_MISMATCH',
      `${directory} was written by another version of orbweaver: run orbweaver updatedb ${directory} first, which brings it up to date`,
    )
}
