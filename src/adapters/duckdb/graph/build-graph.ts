import { basename } from 'node:path'
import { VARCHAR } from '@duckdb/node-api'
import type { GraphRequest, GraphResult } from '../../../domain/crawldb/web-graph.ts'
import { registeredDomain } from '../../../domain/url/registered-domain.ts'
import { holding, type SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import { hostSql } from '../new-urls.ts'
import { type Session, sqlList, sqlText } from '../session.ts'
import { GRAPH_OPTIONS_KEY } from './graph-tables.ts'

/** Adds the links of segments to the web graph. */
export async function buildGraph(
  session: Session,
  folder: SegmentFolder,
  request: GraphRequest,
): Promise<GraphResult> {
  const rebuilt = await hasOtherOptions(session, request)
  const known = rebuilt ? new Set<string>() : await readParts(session)
  const parts = (await partsOf(folder, request.segments)).filter((part) => !known.has(keyOf(part)))
  const files = parts.flatMap(({ fetched, parsed }) => [...fetched, ...parsed])
  await holding(folder, files, () => readVersions(session, parts))
  if (!rebuilt)
    await session.run(`
      DELETE FROM versions WHERE EXISTS (
        SELECT 1 FROM webgraph_pages p WHERE p.fp = versions.fp AND p.segment > versions.segment)`)
  await readNewLinks(session, request)
  await session.begin()
  if (rebuilt)
    for (const table of ['parts', 'pages', 'links', 'nodes', 'hosts'])
      await session.run(`DELETE FROM webgraph_${table}`)
  if (rebuilt || (await hasRows(session, 'versions'))) {
    await storeLinks(session)
    await storeNodes(session)
  }
  await storeProgress(session, parts, request)
  const totals = await session.one<Omit<GraphResult, 'rebuilt'>>(`
    SELECT (SELECT count(*) FROM versions)::DOUBLE AS pages, (SELECT count(*) FROM webgraph_nodes)::DOUBLE AS nodes,
      (SELECT count(*) FROM webgraph_links)::DOUBLE AS links`)
  return { ...totals, rebuilt }
}

/** A part of a segment with its files; a part without parsed pages has one. */
interface GraphPart {
  readonly segment: string
  readonly part: string
  readonly fetched: readonly string[]
  readonly parsed: readonly string[]
}

function keyOf({ segment, part }: Pick<GraphPart, 'segment' | 'part'>): string {
  return `${segment}/${part}`
}

async function partsOf(folder: SegmentFolder, segments: readonly string[]): Promise<GraphPart[]> {
  const parts: GraphPart[] = []
  for (const segment of segments) {
    const files = await folder.files(segment)
    const parsed = new Map(files?.parse_data.map((file) => [basename(file), file]))
    for (const file of files?.crawl_fetch ?? []) {
      const part = basename(file)
      const pages = parsed.get(part)
      parts.push({ segment, part, fetched: [file], parsed: pages === undefined ? [] : [pages] })
    }
  }
  return parts
}

async function readParts(session: Session): Promise<Set<string>> {
  const rows = await session.all<{ segment: string; part: string }>(
    'SELECT segment, part FROM webgraph_parts',
  )
  return new Set(rows.map(keyOf))
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

/** Creates the table `versions`: the newest version of each page in these parts, with its links. A page that is gone has none. */
async function readVersions(session: Session, parts: readonly GraphPart[]): Promise<void> {
  const selects = [NO_VERSIONS]
  for (const [segment, own] of Map.groupBy(parts, (part) => part.segment)) {
    const parsed = own.flatMap((part) => part.parsed)
    const name = sqlText(segment)
    if (parsed.length > 0)
      selects.push(`
        SELECT url, ${name} AS segment, parse_filename(filename) AS part, outlinks
        FROM read_parquet(${sqlList(parsed)}, union_by_name = true, filename = true)`)
    selects.push(`
      SELECT url, ${name}, parse_filename(filename), CASE WHEN redirect_to IS NULL THEN [] ELSE [redirect_to] END
      FROM read_parquet(${sqlList(own.flatMap((part) => part.fetched))}, union_by_name = true, filename = true)
      WHERE status IN ('fetch_redir_temp', 'fetch_redir_perm', 'fetch_gone')`)
  }
  await session.run(`
    CREATE TEMP TABLE versions AS
    SELECT md5_number_upper(url) AS fp, url, segment, outlinks FROM (${selects.join(' UNION ALL ')})
    QUALIFY row_number() OVER (PARTITION BY url ORDER BY segment DESC, part DESC) = 1`)
}

const NO_VERSIONS = `
  SELECT NULL::VARCHAR AS url, NULL::VARCHAR AS segment, NULL::VARCHAR AS part, NULL::VARCHAR[] AS outlinks WHERE false`

/** Creates the table `new_links` of the links of `versions` that count. A link of a page to itself never does. */
async function readNewLinks(session: Session, request: GraphRequest): Promise<void> {
  const { ignoreInternal = 'none', duplicates = false, maxPerPage, maxPerDomain } = request
  const links = `
    SELECT fp AS from_fp, url AS from_url, unnest(outlinks) AS to_url, generate_subscripts(outlinks, 1) AS position
    FROM versions`
  const byDomain = ignoreInternal === 'domain' || maxPerDomain !== undefined
  if (byDomain) await stageDomains(session)
  const conditions = ['to_url <> from_url']
  if (ignoreInternal === 'host') conditions.push(`${hostSql('from_url')} <> ${hostSql('to_url')}`)
  if (ignoreInternal === 'domain') conditions.push('f.domain <> t.domain')
  const domains = byDomain
    ? `JOIN graph_domains f ON f.host = ${hostSql('from_url')} JOIN graph_domains t ON t.host = ${hostSql('to_url')}`
    : ''
  let select = `
    SELECT from_fp, md5_number_upper(to_url) AS to_fp, to_url, position ${byDomain ? ', t.domain AS to_domain' : ''}
    FROM (${links}) ${domains} WHERE ${conditions.join(' AND ')}`
  if (!duplicates) select = firstRows(select, 'from_fp, to_fp', 1)
  if (maxPerDomain !== undefined) select = firstRows(select, 'from_fp, to_domain', maxPerDomain)
  if (maxPerPage !== undefined) select = firstRows(select, 'from_fp', maxPerPage)
  await session.run(`CREATE TEMP TABLE new_links AS SELECT from_fp, to_fp, to_url FROM (${select})`)
}

function firstRows(select: string, keys: string, count: number): string {
  return `FROM (${select}) QUALIFY row_number() OVER (PARTITION BY ${keys} ORDER BY position) <= ${count}`
}

/** Creates the table `graph_domains` with the registered domain of each host of `versions` and its links. */
async function stageDomains(session: Session): Promise<void> {
  await session.run(`
    CREATE TEMP TABLE graph_hosts AS
    SELECT DISTINCT ${hostSql('url')} AS host
    FROM (SELECT url FROM versions UNION ALL SELECT unnest(outlinks) FROM versions)`)
  const domains = await session.stage('graph_domains', { host: VARCHAR, domain: VARCHAR })
  for await (const batch of session.batches<{ host: string }>('graph_hosts'))
    for (const { host } of batch) domains.add(host, registeredDomain(host))
  domains.close()
}

async function hasRows(session: Session, table: string): Promise<boolean> {
  return (await session.all(`SELECT 1 FROM ${table} LIMIT 1`)).length > 0
}

async function storeLinks(session: Session): Promise<void> {
  await session.run(`
    DELETE FROM webgraph_links WHERE from_fp IN (SELECT fp FROM versions);
    INSERT INTO webgraph_links SELECT from_fp, to_fp FROM new_links;
    DELETE FROM webgraph_pages WHERE fp IN (SELECT fp FROM versions);
    INSERT INTO webgraph_pages SELECT fp, segment FROM versions`)
}

/** Counts the links of all nodes again; the scores stay until the next ranking. */
async function storeNodes(session: Session): Promise<void> {
  await session.run(`
    CREATE OR REPLACE TABLE webgraph_nodes AS
    SELECT c.fp, coalesce(n.url, t.url) AS url, c.inlinks, c.outlinks, n.score
    FROM (
      SELECT fp, sum(inlink)::UINTEGER AS inlinks, sum(outlink)::UINTEGER AS outlinks
      FROM (
        SELECT to_fp AS fp, 1 AS inlink, 0 AS outlink FROM webgraph_links
        UNION ALL SELECT from_fp, 0, 1 FROM webgraph_links
        UNION ALL SELECT fp, 0, 0 FROM webgraph_pages
      ) GROUP BY fp
    ) c
    LEFT JOIN webgraph_nodes n ON n.fp = c.fp
    LEFT JOIN (
      SELECT fp, any_value(url) AS url
      FROM (SELECT fp, url FROM versions UNION ALL SELECT to_fp, to_url FROM new_links) GROUP BY fp
    ) t ON t.fp = c.fp`)
}

async function storeProgress(
  session: Session,
  parts: readonly GraphPart[],
  request: GraphRequest,
): Promise<void> {
  const values = parts.map(({ segment, part }) => `(${sqlText(segment)}, ${sqlText(part)})`)
  if (values.length > 0) await session.run(`INSERT INTO webgraph_parts VALUES ${values.join(', ')}`)
  await session.run(`
    DELETE FROM meta WHERE key = '${GRAPH_OPTIONS_KEY}';
    INSERT INTO meta VALUES ('${GRAPH_OPTIONS_KEY}', ${sqlText(optionsText(request))})`)
}
