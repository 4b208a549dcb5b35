import { BIGINT, VARCHAR } from '@duckdb/node-api'
import type { LostPart } from '../../domain/crawldb/crawl-db.ts'
import { gatherLostUrls } from '../duckdb/release-parts.ts'
import { hostInSpark, sparkText } from './crawl-tables.ts'
import type { NextVersion } from './crawl-versions.ts'
import { withScratch } from './scratch-database.ts'
import { hasMarks, withState } from './segment-states.ts'
import { urlRows } from './write-urls.ts'

/** Releases the pages of lost parts, so that they are fetched again; see `releaseOnSpark` of the DuckDB adapter. */
export async function releaseOnSpark(
  next: NextVersion,
  paths: { readonly segments: string; readonly scratch: string },
  parts: readonly LostPart[],
  now: number,
): Promise<number> {
  const { db } = next
  const { lost, unlisted } = await lostUrls(next, paths, parts)
  let states = next.state.segments
  for (const { segment, listed } of lost)
    if (listed && states.some(({ name, state }) => name === segment && state === 'updated'))
      states = withState(states, segment, 'generated')
  if (states !== next.state.segments) next.set({ segments: states })
  const open = new Set(states.filter(({ state }) => state === 'generated').map(({ name }) => name))

  await db.viewRows(
    'lost',
    { url: 'STRING', open_segment: 'BIGINT' },
    lost.map(({ url, segment, listed }) => [
      url,
      listed && open.has(segment) && hasMarks(segment) ? Number(segment) : null,
    ]),
  )
  await db.viewRows(
    'unlisted',
    { url: 'STRING', segment: 'BIGINT' },
    unlisted.map(({ url, segment }) => [url, Number(segment)]),
  )
  await next.keep('released', RELEASED)
  const { released } = await db.one<{ released: number }>(`
    SELECT (SELECT count(*) FROM released r JOIN urls u ON u.url = r.url WHERE r.lost)
      + (SELECT count(*) FROM released WHERE NOT lost) AS released`)
  const mark = 'CASE WHEN u.generated_in = c.cleared THEN NULL ELSE u.generated_in END'
  await next.write(
    'urls',
    urlRows(
      {
        fetch_time: `CASE WHEN c.lost THEN least(u.fetch_time, ${Math.floor(now)}) ELSE u.fetch_time END`,
        etag: 'CASE WHEN c.lost THEN NULL ELSE u.etag END',
        last_modified: 'CASE WHEN c.lost THEN NULL ELSE u.last_modified END',
        generated_in: `coalesce(${mark}, c.open_segment)`,
      },
      `LEFT JOIN released c ON c.host = u.host AND c.url = u.url`,
    ),
  )
  const gone = parts.map(({ segment, part }) => `(${sparkText(segment)}, ${sparkText(part)})`).join(', ')
  await next.write(
    'folded_parts',
    `SELECT f.* FROM folded_parts f LEFT ANTI JOIN (SELECT * FROM VALUES ${gone} AS v(segment, part)) g
     ON g.segment = f.segment AND g.part = f.part`,
  )
  return released
}

const RELEASED = `
  SELECT url, ${hostInSpark('url')} AS host, max(lost) AS lost, max(open_segment) AS open_segment, max(cleared) AS cleared FROM (
    SELECT url, true AS lost, open_segment, CAST(NULL AS BIGINT) AS cleared FROM lost
    UNION ALL SELECT url, false, NULL, segment FROM unlisted
  ) GROUP BY url`

/** DuckDB reads the files of the segments, and gets the marked URLs from Spark. */
async function lostUrls(
  next: NextVersion,
  paths: { readonly segments: string; readonly scratch: string },
  parts: readonly LostPart[],
): Promise<{
  lost: Array<{ url: string; segment: string; listed: boolean }>
  unlisted: Array<{ url: string; segment: string }>
}> {
  const marked = [...new Set(parts.map(({ segment }) => segment))].filter(hasMarks)
  return withScratch(paths.scratch, async (session) => {
    const urls = await session.stage('urls', { url: VARCHAR, generated_in: BIGINT })
    const sql = `SELECT url, CAST(generated_in AS STRING) AS generated_in FROM urls WHERE generated_in IN (${[...marked, -1].join(', ')})`
    for await (const rows of next.db.stream<{ url: string; generated_in: string }>(sql))
      for (const row of rows) urls.add(row.url, BigInt(row.generated_in))
    urls.close()
    await gatherLostUrls(session, paths.segments, parts)
    return {
      lost: await session.all('SELECT url, segment, listed FROM lost'),
      unlisted: await session.all('SELECT url, segment::VARCHAR AS segment FROM unlisted'),
    }
  })
}
