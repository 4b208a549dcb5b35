import { fingerprint64Sql } from './fingerprint64-sql.ts'
import { type Session, sqlList, sqlText } from './session.ts'

/**
 * Gives the targets of links the metadata of the pages that link to them, for these keys. A value that a URL has stays; of several links, the
 * one with the highest score counts.
 * @param files of crawl_parse
 */
export async function inheritMetadata(
  session: Session,
  files: readonly string[],
  keys: readonly string[] = [],
): Promise<void> {
  if (files.length === 0) return
  for (const key of keys) {
    const valueIn = (record: string) => `json_extract_string(${record}.metadata, ${sqlText(`$."${key}"`)})`
    await session.run(`
      UPDATE urls SET metadata = json_merge_patch(coalesce(urls.metadata, '{}'), json_object(${sqlText(key)}, i.value))
      FROM (
        SELECT l.url, ${fingerprint64Sql('l.url')} AS fp, arg_max(${valueIn('p')}, l.score) AS value
        FROM read_parquet(${sqlList(files)}, union_by_name = true) l
        JOIN urls p ON p.fp = ${fingerprint64Sql('l.from_url')} AND p.url = l.from_url
        WHERE l.kind = 'link' AND ${valueIn('p')} IS NOT NULL GROUP BY l.url
      ) i WHERE urls.fp = i.fp AND urls.url = i.url AND ${valueIn('urls')} IS NULL`)
  }
}
