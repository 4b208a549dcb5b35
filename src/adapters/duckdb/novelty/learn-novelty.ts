import type { NoveltyRules } from '../../../domain/novelty/novelty-rules.ts'
import { expectedValue } from '../../../domain/novelty/pattern-evidence.ts'
import { fingerprint64Sql } from '../fingerprint64-sql.ts'
import { hostSql } from '../new-urls.ts'
import { parquetRows } from '../segments/segment-source.ts'
import { type Session, sqlList } from '../session.ts'
import { compareVariants } from './compare-variants.ts'
import { MIN_HOST_URLS, NoveltyState } from './novelty-state.ts'

export interface LearnFiles {
  readonly links: readonly string[]
  readonly pages: readonly string[]
}

/**
 * Learns from the pages that an update merges for the first time, and from the URLs that are new. To be called after `applyEvents`, whose
 * tables `fetched` and `located` it reads. `write` belongs in the transaction.
 */
export async function learnNovelty(
  session: Session,
  files: LearnFiles,
  rules: NoveltyRules,
): Promise<{ write(): Promise<void> }> {
  await findLargeHosts(session)
  await gatherPages(session, files.pages)
  await countPhrases(session)
  const state = await NoveltyState.load(session)
  for await (const batch of session.batches<{ url: string }>('found_urls'))
    for (const { url } of batch) state.patterns.learn(url)
  // Seeds were never found by an update.
  for await (const batch of session.batches<{ url: string }>('judged_pages'))
    for (const { url } of batch) state.patterns.learn(url)
  state.joinPatterns()
  const leads = await countLeads(session, files.links, state, rules)
  for await (const batch of session.batches<{ url: string; novelty: number }>('judged_pages'))
    for (const { url, novelty } of batch)
      state.addPage(state.patterns.patternOf(url), { novelty, leads: leads.get(url) ?? 0 })
  const variants = rules.ignoreParameters ? await compareVariants(session, state) : undefined
  const saved = await state.save(session)
  return {
    async write() {
      await saved.write()
      await variants?.write()
      await session.run(
        'INSERT INTO novelty_phrases SELECT DISTINCT key FROM page_phrases WHERE key NOT IN (SELECT key FROM novelty_phrases)',
      )
    },
  }
}

/** Creates `large_hosts (host)`, and `found_urls (url)` with the new URLs of these hosts. */
async function findLargeHosts(session: Session): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE large_hosts AS
    SELECT host FROM (
      SELECT h.host, u.n FROM (SELECT host_id, count(*) AS n FROM urls GROUP BY host_id) u JOIN hosts h ON h.id = u.host_id
      UNION ALL SELECT host, count(*) AS n FROM located WHERE row_id IS NULL GROUP BY host
    ) GROUP BY host HAVING sum(n) >= ${MIN_HOST_URLS};
    CREATE TEMP TABLE found_urls AS
    SELECT url FROM located WHERE row_id IS NULL AND host IN (SELECT host FROM large_hosts)`)
}

/**
 * Creates `first_pages`: requests of large hosts whose URL had no content before. Pages with short queries and URLs come first: if several
 * views have the same text, it counts as that of the simplest URL.
 */
async function gatherPages(session: Session, pages: readonly string[]): Promise<void> {
  const sketches =
    pages.length === 0
      ? 'SELECT NULL::VARCHAR AS url, NULL::VARCHAR AS sketch WHERE false'
      : `SELECT url, any_value(sketch) AS sketch FROM ${parquetRows('parse_data', pages)} WHERE sketch IS NOT NULL GROUP BY url`
  await session.run(`
    CREATE TEMP TABLE first_pages AS
    SELECT f.url, ${hostSql('f.url')} AS host, d.sketch,
      f.fetch_signature IS NOT NULL AND unhex(f.fetch_signature) NOT IN (SELECT signature FROM urls WHERE signature IS NOT NULL)
        AS has_new_signature
    FROM fetched f JOIN located l ON l.url = f.url LEFT JOIN urls u ON u.rowid = l.row_id LEFT JOIN (${sketches}) d ON d.url = f.url
    WHERE u.signature IS NULL AND f.fetch_status NOT IN ('not_reached', 'fetch_retry')
      AND coalesce(f.fetch_protocol_status, '') <> 'robots_denied'
      AND ${hostSql('f.url')} IN (SELECT host FROM large_hosts)
    ORDER BY len(regexp_extract_all(f.url, '[?&;]')), length(f.url), f.url`)
}

/** Creates `page_phrases (page, key)`, and `judged_pages (url, novelty)`: the share of the phrases that the host did not have. */
async function countPhrases(session: Session): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE page_phrases AS
    SELECT page, xor(${fingerprint64Sql('host')}, phrase::UBIGINT << 16) AS key
    FROM (
      SELECT rowid AS page, host,
        unnest(list_transform(range(1, length(sketch) // 8), lambda i: ('0x' || substr(sketch, i * 8 + 1, 8))::UINTEGER)) AS phrase
      FROM first_pages WHERE sketch IS NOT NULL
    );
    CREATE TEMP TABLE judged_pages AS
    SELECT p.url, coalesce(f.novelty, p.has_new_signature::INTEGER)::DOUBLE AS novelty
    FROM first_pages p LEFT JOIN (
      SELECT page, avg((is_first AND is_new)::INTEGER) AS novelty
      FROM (
        SELECT page, row_number() OVER (PARTITION BY key ORDER BY page) = 1 AS is_first,
          key NOT IN (SELECT key FROM novelty_phrases) AS is_new
        FROM page_phrases
      ) GROUP BY page
    ) f ON f.page = p.rowid
    ORDER BY p.rowid`)
}

/** For each page: the number of new URLs that were first found on it and belong to patterns that bring new content. */
async function countLeads(
  session: Session,
  links: readonly string[],
  state: NoveltyState,
  { limits }: NoveltyRules,
): Promise<ReadonlyMap<string, number>> {
  const leads = new Map<string, number>()
  if (links.length === 0) return leads
  await session.run(`
    CREATE TEMP TABLE first_links AS
    SELECT url, min(from_url) AS from_url FROM read_parquet(${sqlList(links)}, union_by_name = true)
    WHERE url IN (SELECT url FROM found_urls) GROUP BY url`)
  for await (const batch of session.batches<{ url: string; from_url: string }>('first_links'))
    for (const { url, from_url } of batch) {
      const evidence = state.evidenceOf(state.patterns.patternOf(url))
      const isGood = evidence.fetched >= limits.trialPages && expectedValue(evidence) >= limits.enough
      if (isGood) leads.set(from_url, (leads.get(from_url) ?? 0) + 1)
    }
  return leads
}
