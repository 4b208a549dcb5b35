import type { UnparsedPage } from '../../../domain/segment/segment-store.ts'
import type { SegmentFiles } from '../../crawl-directory/segment-files.ts'
import { metadataOf } from '../record-row.ts'
import type { Session } from '../session.ts'
import { sqlText } from '../sql-text.ts'
import { readVisits } from './read-pages.ts'
import { latestRows, segmentSource } from './segment-source.ts'

/** Successes without parse data, with the score and metadata of the line of the fetch list they came from. */
export async function* readUnparsed(
  session: Session,
  name: string,
  files: SegmentFiles,
): AsyncGenerator<UnparsedPage[]> {
  await session.run(`
    CREATE TEMP TABLE visits AS
    WITH origins AS (${originsSql(files)})
    SELECT ${sqlText(name)} AS segment, f.part, f.part_row, f.url, o.score, o.metadata
    FROM ${latestRows('crawl_fetch', files.crawl_fetch)} f
    LEFT JOIN origins o ON o.url = f.url
    WHERE f.status = 'fetch_success'
      AND f.url IN (SELECT url FROM ${segmentSource('content', files.content)})
      AND f.url NOT IN (SELECT url FROM ${segmentSource('parse_data', files.parse_data)})`)
  for await (const visits of readVisits(session, new Map([[name, files]]), { links: false })) {
    const unparsed: UnparsedPage[] = []
    for (const { page, score, metadata } of visits) {
      const { content, fetch } = page
      if (content === undefined) continue
      unparsed.push({ content, fetch, score: score ?? 0, metadata: metadataOf(metadata) })
    }
    yield unparsed
  }
}

/** Lines of the fetch list, and redirect targets with those of the URL that began the chain. Chains are short; circles end. */
function originsSql(files: SegmentFiles): string {
  const visits = `(SELECT url, redirected_from FROM ${latestRows('crawl_fetch', files.crawl_fetch)} WHERE redirected_from IS NOT NULL)`
  return `
    WITH RECURSIVE origins AS (
      SELECT url, score, metadata, 0 AS hops FROM ${segmentSource('crawl_generate', files.crawl_generate)}
      UNION ALL
      SELECT f.url, o.score, o.metadata, o.hops + 1 FROM ${visits} f JOIN origins o ON o.url = f.redirected_from WHERE o.hops < 20
    )
    SELECT url, arg_min(score, hops) AS score, arg_min(metadata, hops) AS metadata FROM origins GROUP BY url`
}
