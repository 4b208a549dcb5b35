import type { HostAggregates } from '../../../domain/crawldb/host-db.ts'
import { hostSql } from '../new-urls.ts'
import { parquetRows } from '../segments/segment-source.ts'
import { type Session, sqlText } from '../session.ts'

/** The fields that are counted with each update; others come from the metadata of records. */
const KEPT_FIELDS = "('protocol', 'content_type')"

/** Replaces `host_numbers`, and the counts of metadata in `host_values`. @param files of `crawl_fetch` */
export async function aggregateHosts(
  session: Session,
  files: readonly string[],
  { numericFields, textFields }: Omit<HostAggregates, 'segments'>,
): Promise<number> {
  const numbers = numericFields.map(
    (field) => `
      SELECT host_id, ${sqlText(field)} AS field, TRY_CAST(${metadataValue(field)} AS DOUBLE) AS value FROM urls
      WHERE contains(metadata, ${sqlText(JSON.stringify(field))})`,
  )
  if (files.length > 0)
    numbers.push(`
      SELECT h.id, unnest(['response_ms', 'bytes']), unnest([response_ms, bytes::DOUBLE])
      FROM (
        SELECT ${hostSql('url')} AS host, response_ms, bytes FROM ${parquetRows('crawl_fetch', files)}
        QUALIFY row_number() OVER (PARTITION BY url, fetched_at) = 1
      ) f JOIN hosts h ON h.host = f.host`)
  await session.run(`
    CREATE TEMP TABLE new_numbers AS
    SELECT host_id, field, count(*) AS count, min(value) AS min, max(value) AS max, avg(value) AS avg,
      ${[0.5, 0.75, 0.95, 0.99].map((q) => `quantile_cont(value, ${q}) AS p${q * 100}`).join(', ')}
    FROM (${[NO_NUMBERS, ...numbers].join(' UNION ALL ')})
    WHERE value IS NOT NULL AND isfinite(value) GROUP BY ALL`)
  const texts = textFields.map(
    (field) => `
      SELECT host_id, ${sqlText(field)} AS field, ${metadataValue(field)} AS value FROM urls
      WHERE contains(metadata, ${sqlText(JSON.stringify(field))})`,
  )
  await session.begin()
  await session.run('DELETE FROM host_numbers; INSERT INTO host_numbers SELECT * FROM new_numbers')
  await session.run(`DELETE FROM host_values WHERE field NOT IN ${KEPT_FIELDS}`)
  if (texts.length > 0)
    await session.run(`
      INSERT INTO host_values
      SELECT host_id, field, value, count(*) FROM (${texts.join(' UNION ALL ')}) WHERE value IS NOT NULL GROUP BY ALL`)
  const { hosts } = await session.one<{ hosts: number }>(
    'SELECT count(DISTINCT host_id)::DOUBLE AS hosts FROM urls',
  )
  return hosts
}

/** The value of a key of `metadata`; the key as a JSON pointer, which has no characters with a meaning but two. */
function metadataValue(field: string): string {
  return `json_extract_string(metadata, ${sqlText(`/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`)})`
}

const NO_NUMBERS =
  'SELECT NULL::UINTEGER AS host_id, NULL::VARCHAR AS field, NULL::DOUBLE AS value WHERE false'
