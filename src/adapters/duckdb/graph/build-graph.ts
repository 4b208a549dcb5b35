import { UINTEGER, VARCHAR } from '@duckdb/node-api'
import type { GraphRequest, GraphResult } from '../../../domain/crawldb/web-graph.ts'
import { registeredDomain } from '../../../domain/url/registered-domain.ts'
import { holding, type SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import { fingerprint64Sql } from '../fingerprint64-sql.ts'
import { readMemoryLimit } from '../memory-limit.ts'
import { hostSql } from '../new-urls.ts'
import { type Session, sqlText } from '../session.ts'
import { GRAPH_OPTIONS_KEY } from './graph-tables.ts'
import {
  type GraphFile,
  type GraphPart,
  numberFiles,
  type PageRange,
  pageRanges,
  pagesIn,
  partNumberSql,
  partsOf,
} from './part-pages.ts'

/**
 * Adds the links of segments to the web graph. Links are read with their URLs in ranges of pages that fit in memory, and stored as pairs of
 * fingerprints.
 */
export async function buildGraph(
  session: Session,
  folder: SegmentFolder,
  request: GraphRequest,
): Promise<GraphResult> {
  const rebuilt = await hasOtherOptions(session, request)
  const known = rebuilt ? new Set<string>() : await readParts(session)
  const parts = (await partsOf(folder, request.segments)).filter((part) => !known.has(keyOf(part)))
  const files = numberFiles(parts)
  const changed = await holding(
    folder,
    files.map(({ path }) => path),
    async () => {
      await stageParts(session, parts)
      await readVersions(session, files, rebuilt)
      if (!rebuilt && !(await hasRows(session, 'versions'))) return false
      await readNodeUrls(session, files, rebuilt)
      await readNewLinks(session, files, request)
      return true
    },
  )
  if (changed) await countLinks(session, rebuilt)
  await session.begin()
  if (rebuilt)
    for (const table of ['parts', 'pages', 'links', 'hosts'])
      await session.run(`DELETE FROM webgraph_${table}`)
  if (changed) await storeGraph(session)
  await storeProgress(session, request)
  const totals = await session.one<Omit<GraphResult, 'rebuilt'>>(`
    SELECT (SELECT count(*) FROM versions)::DOUBLE AS pages, (SELECT count(*) FROM webgraph_nodes)::DOUBLE AS nodes,
      (SELECT count(*) FROM webgraph_links)::DOUBLE AS links`)
  return { ...totals, rebuilt }
}

function keyOf({ segment, part }: Pick<GraphPart, 'segment' | 'part'>): string {
  return `${segment}/${part}`
}

async function readParts(session: Session): Promise<Set<string>> {
  const rows = await session.all<{ segment: string; part: string }>(
    'SELECT segment, part FROM webgraph_parts',
  )
  return new Set(rows.map(keyOf))
}

/** Creates the table `new_parts (number, segment, part)`. */
async function stageParts(session: Session, parts: readonly GraphPart[]): Promise<void> {
  const staged = await session.stage('new_parts', { number: UINTEGER, segment: VARCHAR, part: VARCHAR })
  for (const [number, { segment, part }] of parts.entries()) staged.add(number, segment, part)
  staged.close()
}

/** The options that decide which links are in the graph. */
function optionsText(request: GraphRequest): string {
  const { ignoreInternal = 'none', duplicates = false, maxPerPage = null, maxPerDomain = null } = request
  return JSON.stringify({ ignoreInternal, duplicates, maxPerPage, maxPerDomain })
}

/** Whether there is a graph that was built with other options. */
async function hasOtherOptions(session: Session, request: GraphRequest): Promise<boolean> {
  const [row] = await session.all<{ value: string }>(
    `SELECT value FROM meta WHERE key = '${GRAPH_OPTIONS_KEY}'`,
  )
  return row !== undefined && row.value !== optionsText(request)
}

/** Creates the table `versions (fp, version)`: the newest version of each page in these files, unless the graph has a newer one. */
async function readVersions(session: Session, files: readonly GraphFile[], rebuilt: boolean): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE versions AS
    SELECT ${fingerprint64Sql('url')} AS fp, max(version) AS version FROM (${pagesIn(files)}) GROUP BY fp`)
  if (!rebuilt)
    await session.run(`
      DELETE FROM versions WHERE fp IN (
        SELECT v.fp FROM versions v
        JOIN new_parts n ON n.number = ${partNumberSql('v.version')} JOIN webgraph_pages p ON p.fp = v.fp
        WHERE p.segment > n.segment)`)
}

/** Creates the table `node_urls (fp, url, score)` of the nodes that the graph has and of the pages in `versions`. */
async function readNodeUrls(session: Session, files: readonly GraphFile[], rebuilt: boolean): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE node_urls AS
    SELECT fp, url, score FROM webgraph_nodes ${rebuilt ? 'WHERE false' : ''};
    INSERT INTO node_urls SELECT v.fp, p.url, NULL
    FROM (${pagesIn(files)}) p JOIN versions v ON v.version = p.version
    WHERE NOT EXISTS (SELECT 1 FROM node_urls n WHERE n.fp = v.fp)`)
}

/** Creates the table `new_links (from_fp, to_fp)` of the links of `versions` that count, and adds their targets to `node_urls`. */
async function readNewLinks(
  session: Session,
  files: readonly GraphFile[],
  request: GraphRequest,
): Promise<void> {
  const maxLinks = ((await readMemoryLimit(session)) * MEMORY_SHARE) / BYTES_PER_LINK
  await session.run('CREATE TEMP TABLE new_links (from_fp UBIGINT, to_fp UBIGINT)')
  for (const range of await pageRanges(session, files, maxLinks)) {
    const pages = pagesOf(range)
    const byDomain = request.ignoreInternal === 'domain' || request.maxPerDomain !== undefined
    if (byDomain) await stageDomains(session, pages)
    await session.run(`
      CREATE TEMP TABLE range_links AS SELECT from_fp, to_fp, to_url FROM (${linksOf(pages, request, byDomain)});
      INSERT INTO new_links SELECT from_fp, to_fp FROM range_links;
      INSERT INTO node_urls SELECT to_fp, any_value(to_url), NULL
      FROM range_links l WHERE NOT EXISTS (SELECT 1 FROM node_urls n WHERE n.fp = l.to_fp) GROUP BY to_fp;
      DROP TABLE range_links`)
  }
}

/** The share of the memory limit for the links of a range. Sorting and grouping them needs more than that. */
const MEMORY_SHARE = 0.25
/** About the memory of a link with the URL of its target. */
const BYTES_PER_LINK = 100

/** Selects `fp`, `url` and `outlinks` of the newest versions of pages in a range. */
function pagesOf({ from, to, files }: PageRange): string {
  return `
    SELECT v.fp, p.url, p.outlinks FROM (${pagesIn(files)}) p
    JOIN (FROM versions WHERE version >= ${from} AND version < ${to}) v ON v.version = p.version`
}

/** Selects `from_fp`, `to_fp` and `to_url` of the links that count. A link of a page to itself never does. */
function linksOf(pages: string, request: GraphRequest, byDomain: boolean): string {
  const { ignoreInternal = 'none', duplicates = false, maxPerPage, maxPerDomain } = request
  const isLimited = maxPerPage !== undefined || maxPerDomain !== undefined
  // Without a limit the order of links does not matter, and each page can be deduplicated for itself.
  const outlinks = duplicates || isLimited ? 'outlinks' : 'list_distinct(outlinks)'
  const links = `
    SELECT fp AS from_fp, url AS from_url, unnest(${outlinks}) AS to_url
      ${isLimited ? ', generate_subscripts(outlinks, 1) AS position' : ''}
    FROM (${pages})`
  const conditions = ['to_url <> from_url']
  if (ignoreInternal === 'host') conditions.push(`${hostSql('from_url')} <> ${hostSql('to_url')}`)
  if (ignoreInternal === 'domain') conditions.push('f.domain <> t.domain')
  const domains = byDomain
    ? `JOIN graph_domains f ON f.host = ${hostSql('from_url')} JOIN graph_domains t ON t.host = ${hostSql('to_url')}`
    : ''
  let select = `
    SELECT from_fp, ${fingerprint64Sql('to_url')} AS to_fp, to_url
      ${isLimited ? ', position' : ''} ${byDomain ? ', t.domain AS to_domain' : ''}
    FROM (${links}) ${domains} WHERE ${conditions.join(' AND ')}`
  if (isLimited && !duplicates) select = firstRows(select, 'from_fp, to_fp', 1)
  if (maxPerDomain !== undefined) select = firstRows(select, 'from_fp, to_domain', maxPerDomain)
  if (maxPerPage !== undefined) select = firstRows(select, 'from_fp', maxPerPage)
  return select
}

function firstRows(select: string, keys: string, count: number): string {
  return `FROM (${select}) QUALIFY row_number() OVER (PARTITION BY ${keys} ORDER BY position) <= ${count}`
}

/** Creates the table `graph_domains` with the registered domain of each host of `pages` and their links. */
async function stageDomains(session: Session, pages: string): Promise<void> {
  await session.run(`
    DROP TABLE IF EXISTS graph_domains;
    CREATE OR REPLACE TEMP TABLE graph_hosts AS
    SELECT DISTINCT ${hostSql('url')} AS host
    FROM (SELECT unnest(list_append(outlinks, url)) AS url FROM (${pages}))`)
  const domains = await session.stage('graph_domains', { host: VARCHAR, domain: VARCHAR })
  for await (const batch of session.batches<{ host: string }>('graph_hosts'))
    for (const { host } of batch) domains.add(host, registeredDomain(host))
  domains.close()
}

async function hasRows(session: Session, table: string): Promise<boolean> {
  return (await session.all(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0
}

/** Creates the table `node_counts (fp, inlinks, outlinks)` of all pages and link targets. */
async function countLinks(session: Session, rebuilt: boolean): Promise<void> {
  const links = rebuilt
    ? 'new_links'
    : `(FROM new_links UNION ALL
        SELECT from_fp, to_fp FROM webgraph_links l WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.fp = l.from_fp))`
  await session.run(`
    CREATE TEMP TABLE node_counts AS
    SELECT fp, count(inlink)::UINTEGER AS inlinks, count(outlink)::UINTEGER AS outlinks
    FROM (
      SELECT to_fp AS fp, true AS inlink, NULL AS outlink FROM ${links}
      UNION ALL SELECT from_fp, NULL, true FROM ${links}
      UNION ALL SELECT fp, NULL, NULL FROM versions
      ${rebuilt ? '' : 'UNION ALL SELECT fp, NULL, NULL FROM webgraph_pages'}
    ) GROUP BY fp`)
}

/** Replaces the links of the pages in `versions`, and all nodes; their scores stay until the next ranking. */
async function storeGraph(session: Session): Promise<void> {
  await session.run(`
    DELETE FROM webgraph_links WHERE from_fp IN (SELECT fp FROM versions);
    INSERT INTO webgraph_links FROM new_links;
    DELETE FROM webgraph_pages WHERE fp IN (SELECT fp FROM versions);
    INSERT INTO webgraph_pages
    SELECT v.fp, n.segment FROM versions v JOIN new_parts n ON n.number = ${partNumberSql('v.version')};
    CREATE OR REPLACE TABLE webgraph_nodes AS
    SELECT u.fp, u.url, c.inlinks, c.outlinks, u.score FROM node_urls u JOIN node_counts c ON c.fp = u.fp`)
}

async function storeProgress(session: Session, request: GraphRequest): Promise<void> {
  await session.run(`
    INSERT INTO webgraph_parts SELECT segment, part FROM new_parts;
    DELETE FROM meta WHERE key = '${GRAPH_OPTIONS_KEY}';
    INSERT INTO meta VALUES ('${GRAPH_OPTIONS_KEY}', ${sqlText(optionsText(request))})`)
}
