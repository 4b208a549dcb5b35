import type { CrawlDbReader } from '../../domain/crawldb/crawl-db-reader.ts'
import { publicSuffix, topLevelDomain } from '../../domain/url/public-suffix.ts'
import { readRows } from './read-rows.ts'

/** What statistics count by. */
export type StatisticsKey = 'host' | 'domain' | 'suffix' | 'tld'

/** The URLs of one host, domain, public suffix or top-level domain. */
export interface CrawlCounts {
  readonly name: string
  /** Pages that were fetched, also those that did not change since or are duplicates. */
  readonly fetched: number
  readonly unfetched: number
  readonly redirected: number
  /** Gone, orphaned, or could not be parsed. */
  readonly gone: number
  readonly urls: number
}

/** Counts the URLs of a crawl, the groups with the most fetched pages first (Nutch: domainstats, crawlcomplete). */
export async function countBy(
  reader: Pick<CrawlDbReader, 'sql'>,
  key: StatisticsKey,
): Promise<CrawlCounts[]> {
  const column = key === 'host' ? 'host' : 'domain'
  const groups = await readRows<CrawlCounts>(
    reader,
    `SELECT ${column} AS name, ${COUNTS} FROM crawldb GROUP BY ${column}`,
  )
  // The public suffix list is not available in SQL.
  const counts = key === 'suffix' || key === 'tld' ? mergeGroups(groups, GROUP_NAMES[key]) : groups
  return counts.sort((a, b) => b.fetched - a.fetched || b.urls - a.urls || (a.name < b.name ? -1 : 1))
}

const GROUP_NAMES = { suffix: publicSuffix, tld: topLevelDomain } as const

/** Statuses in a form that DuckDB and Spark understand. */
const COUNTS = `
  ${countOf("'db_fetched', 'db_notmodified', 'db_duplicate'")} AS fetched,
  ${countOf("'db_unfetched'")} AS unfetched,
  ${countOf("'db_redir_temp', 'db_redir_perm'")} AS redirected,
  ${countOf("'db_gone', 'db_orphan', 'db_parse_failed'")} AS gone,
  count(*) AS urls`

function countOf(statuses: string): string {
  return `count(CASE WHEN status IN (${statuses}) THEN 1 END)`
}

function mergeGroups(groups: readonly CrawlCounts[], nameOf: (domain: string) => string): CrawlCounts[] {
  const merged = new Map<string, CrawlCounts>()
  for (const group of groups) {
    const name = nameOf(group.name)
    const sum = merged.get(name) ?? NO_URLS
    merged.set(name, {
      name,
      fetched: sum.fetched + group.fetched,
      unfetched: sum.unfetched + group.unfetched,
      redirected: sum.redirected + group.redirected,
      gone: sum.gone + group.gone,
      urls: sum.urls + group.urls,
    })
  }
  return [...merged.values()]
}

const NO_URLS = { fetched: 0, unfetched: 0, redirected: 0, gone: 0, urls: 0 } as const
