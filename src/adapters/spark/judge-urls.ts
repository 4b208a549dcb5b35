import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'
import { hostInSpark } from './crawl-tables.ts'
import type { NextVersion } from './crawl-versions.ts'
import { FETCH_EVENT_COLUMNS } from './gather-events.ts'
import type { RuleQueries } from './rule-queries.ts'
import { joinByUrl, urlRows, writeHosts } from './write-urls.ts'

/**
 * Filters and normalises every URL of the db: rejected records are deleted, rewritten ones get their new URL. If several records get the
 * same URL, the one that is due last is kept, as in Nutch. Returns the number of deleted records.
 */
export async function judgeAllUrls(next: NextVersion, rules: RuleQueries, judge: JudgeUrl): Promise<number> {
  const all = await verdicts(rules, judge, 'SELECT url FROM urls', true)
  const { rejected, moved } = await next.keep('verdicts', all, {
    rejected: 'count_if(new_url IS NULL)',
    moved: 'count_if(new_url IS NOT NULL)',
  })
  if (rejected + moved === 0) return 0
  const isKept = 'c.url IS NULL OR c.new_url IS NOT NULL'
  let displaced = 0
  if (moved === 0) await next.write('urls', urlRows({}, joinByUrl('verdicts'), isKept))
  else {
    const arrivals = await next.keep(
      'arrivals',
      `SELECT *, row_number() OVER (PARTITION BY url ORDER BY fetch_time DESC, old_url) AS place FROM (
         ${urlRows({ url: 'coalesce(c.new_url, u.url)', host: hostInSpark('coalesce(c.new_url, u.url)'), protocol_status: 'u.url AS old_url, u.protocol_status' }, joinByUrl('verdicts'), isKept)})`,
      { displaced: 'count_if(place > 1)' },
    )
    displaced = arrivals.displaced
    await next.write('urls', 'SELECT * FROM arrivals WHERE false', 'SELECT * FROM arrivals WHERE place = 1')
    await writeHosts(
      next,
      rules,
      `SELECT ${hostInSpark('new_url')} AS host FROM verdicts WHERE new_url IS NOT NULL`,
    )
    if (next.written.includes('hosts')) await next.useWritten('hosts')
  }
  await next.useWritten('urls')
  return rejected + displaced
}

/**
 * Filters and normalises the URLs in the views of `createEventViews`, and merges rows that get the same URL. Returns the number of rows
 * in `fetched`.
 */
export async function judgeEventUrls(
  next: NextVersion,
  rules: RuleQueries,
  judge: JudgeUrl,
): Promise<number> {
  const urls = 'SELECT url FROM fetched UNION SELECT url FROM redirects UNION SELECT url FROM inlinks'
  await next.keep('renamed', await verdicts(rules, judge, urls, false))
  const renamed = (view: string) => `${view} e JOIN renamed n ON n.url = e.url WHERE n.new_url IS NOT NULL`
  const { fetched } = await next.keep(
    'fetched',
    best(renamed('fetched'), FETCH_COLUMNS, "e.fetch_status = 'not_reached', e.fetched_at DESC"),
    { fetched: 'count(*)' },
  )
  await next.keep(
    'redirects',
    best(renamed('redirects'), ['redirect_score', 'redirect_metadata'], 'e.redirect_score DESC'),
  )
  await next.keep(
    'inlinks',
    `SELECT n.new_url AS url, sum(e.score_sum) AS score_sum, sum(e.link_count) AS link_count, min(e.min_depth) AS min_depth,
       min_by(e.max_depth, e.min_depth) AS max_depth FROM ${renamed('inlinks')} GROUP BY n.new_url`,
  )
  return fetched
}

const FETCH_COLUMNS = [...FETCH_EVENT_COLUMNS, 'fetch_reason', 'fetch_dropped', 'fetch_truncated']

function best(from: string, columns: readonly string[], order: string): string {
  const list = columns.map((name) => `e.${name}`).join(', ')
  return `
    SELECT url, ${columns.join(', ')} FROM (
      SELECT n.new_url AS url, ${list}, row_number() OVER (PARTITION BY n.new_url ORDER BY ${order}) AS place FROM ${from}
    ) WHERE place = 1`
}

function verdicts(
  rules: RuleQueries,
  { steps }: JudgeUrl,
  select: string,
  onlyChanges: boolean,
): Promise<string> {
  const task = { task: 'judge', now: 0, onlyChanges, ...(steps !== undefined && { judge: steps }) } as const
  return rules.apply(task, select, 'url STRING, new_url STRING')
}
