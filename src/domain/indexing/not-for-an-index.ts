import type { DbStatus } from '../crawldb/crawl-status.ts'

/**
 * What a search index must not hold: under these URLs a reader finds nothing, something else, or what another page has too. Nutch's clean
 * takes the first two; the others go when its indexer meets them (`-deleteGone`), or have been gone before.
 */
export const NOT_FOR_AN_INDEX = [
  'db_gone',
  'db_duplicate',
  'db_redir_temp',
  'db_redir_perm',
  'db_orphan',
  'db_parse_failed',
] as const satisfies readonly DbStatus[]
