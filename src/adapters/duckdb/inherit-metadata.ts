import type { Session } from './session.ts'

/**
 * Gives URLs the metadata that links to them carry, unless they have a value of their own. The link with the highest score counts. Needs
 * the temporary view `link_rows`; links carry metadata only if `links.inheritMetadata` is set.
 */
export async function inheritMetadata(session: Session): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE inherited AS
    SELECT url, md5_number_upper(url) AS fp, arg_max(metadata, score) AS metadata
    FROM link_rows WHERE kind = 'link' AND metadata IS NOT NULL GROUP BY url`)
  const { n } = await session.one<{ n: number }>('SELECT count(*)::DOUBLE AS n FROM inherited')
  if (n === 0) return
  await session.run(`
    UPDATE urls SET metadata = json_merge_patch(i.metadata, coalesce(urls.metadata, '{}'))
    FROM inherited i WHERE urls.fp = i.fp AND urls.url = i.url`)
}
