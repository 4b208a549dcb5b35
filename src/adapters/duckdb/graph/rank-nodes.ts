import { ConfigurationError, CrawlError } from '../../../base/crawl-error.ts'
import type { RankRequest, RankResult, RankUnit } from '../../../domain/crawldb/web-graph.ts'
import { hostSql } from '../new-urls.ts'
import type { Session } from '../session.ts'

/** Computes the LinkRank of all nodes in temporary tables and stores it at the end. */
export async function rankNodes(session: Session, request: RankRequest): Promise<RankResult> {
  const { by = 'page', damping = 0.85, iterations: most = 50, tolerance = 1e-4 } = request
  checkBounds(damping, tolerance)
  await numberNodes(session, by)
  const graph = await session.one<Pick<RankResult, 'nodes' | 'links' | 'dangling'>>(`
    SELECT (SELECT count(*) FROM ranks)::DOUBLE AS nodes, (SELECT count(*) FROM graph_edges)::DOUBLE AS links,
      (SELECT count(*) FROM ranks WHERE degree = 0)::DOUBLE AS dangling`)
  let iterations = 0
  let change = graph.nodes === 0 ? 0 : Number.POSITIVE_INFINITY
  while (graph.nodes > 0 && iterations < most && change >= tolerance) {
    if (request.signal?.aborted) throw new RankingInterrupted(iterations)
    change = await iterate(session, graph.nodes, damping)
    iterations++
    request.onIteration?.(iterations, change)
  }
  await session.begin()
  await storeScores(session, by, graph.nodes)
  return { ...graph, iterations, change, converged: change < tolerance }
}

/**
 * `orbweaver linkrank` was interrupted. The scores of the last complete ranking are still stored.
 * Remedy: Run the command again.
 */
export class RankingInterrupted extends CrawlError {
  readonly code = 'RANKING_INTERRUPTED'
  readonly retryable = true

  constructor(iterations: number) {
    super(`interrupted after ${iterations} iterations; nothing was changed, run the command again`)
  }
}

function checkBounds(damping: number, tolerance: number): void {
  if (!(damping >= 0 && damping < 1))
    throw new ConfigurationError(
      'OPTION_INVALID',
      `the damping factor is ${damping}: give a number from 0 up to, but not including, 1`,
    )
  if (!(tolerance > 0))
    throw new ConfigurationError('OPTION_INVALID', `the tolerance is ${tolerance}: give a number above 0`)
}

/**
 * Creates the tables `ranks (id, score, previous, degree)`, with equal scores of the sum 1, `graph_edges (source, target)` by these ids, and
 * `graph_nodes (id, name)`.
 */
async function numberNodes(session: Session, by: RankUnit): Promise<void> {
  await session.run(NODES[by])
  await session.run(EDGES[by])
  await session.run(`
    CREATE TEMP TABLE ranks AS
    SELECT n.id, 1 / (SELECT count(*) FROM graph_nodes) AS score, 0::DOUBLE AS previous, coalesce(d.degree, 0)::UINTEGER AS degree
    FROM graph_nodes n LEFT JOIN (SELECT source, count(*) AS degree FROM graph_edges GROUP BY source) d ON d.source = n.id`)
}

const NODES: Readonly<Record<RankUnit, string>> = {
  page: `
    CREATE TEMP TABLE graph_nodes AS
    SELECT (row_number() OVER ())::UINTEGER AS id, fp AS name FROM webgraph_nodes`,
  host: `
    CREATE TEMP TABLE page_hosts AS SELECT fp, ${hostSql('url')} AS host FROM webgraph_nodes;
    CREATE TEMP TABLE graph_nodes AS
    SELECT (row_number() OVER ())::UINTEGER AS id, host AS name FROM (SELECT DISTINCT host FROM page_hosts)`,
}

const EDGES: Readonly<Record<RankUnit, string>> = {
  page: `
    CREATE TEMP TABLE graph_edges AS
    SELECT f.id AS source, t.id AS target
    FROM webgraph_links l JOIN graph_nodes f ON f.name = l.from_fp JOIN graph_nodes t ON t.name = l.to_fp`,
  host: `
    CREATE TEMP TABLE host_ids AS SELECT p.fp, n.id FROM page_hosts p JOIN graph_nodes n ON n.name = p.host;
    CREATE TEMP TABLE graph_edges AS
    SELECT DISTINCT f.id AS source, t.id AS target
    FROM webgraph_links l JOIN host_ids f ON f.fp = l.from_fp JOIN host_ids t ON t.fp = l.to_fp
    WHERE f.id <> t.id`,
}

/** One step of the power iteration. @returns the sum of the changes; the scores have the sum 1 */
async function iterate(session: Session, nodes: number, damping: number): Promise<number> {
  const { dangling } = await session.one<{ dangling: number }>(
    'SELECT coalesce(sum(score) FILTER (degree = 0), 0) AS dangling FROM ranks',
  )
  const base = (1 - damping + damping * dangling) / nodes
  await session.run(`
    CREATE TEMP TABLE next_ranks AS
    SELECT r.id, ${base}::DOUBLE + ${damping}::DOUBLE * coalesce(received.score, 0) AS score, r.score AS previous, r.degree
    FROM ranks r LEFT JOIN (
      SELECT e.target, sum(s.share) AS score
      FROM graph_edges e JOIN (SELECT id, score / degree AS share FROM ranks WHERE degree > 0) s ON s.id = e.source
      GROUP BY e.target
    ) received ON received.target = r.id;
    DROP TABLE ranks;
    ALTER TABLE next_ranks RENAME TO ranks`)
  const { change } = await session.one<{ change: number }>(
    'SELECT sum(abs(score - previous)) AS change FROM ranks',
  )
  return change
}

/** Scores are stored with the mean 1. */
async function storeScores(session: Session, by: RankUnit, nodes: number): Promise<void> {
  const score = `(r.score * ${nodes})::FLOAT`
  if (by === 'page')
    await session.run(`
      CREATE OR REPLACE TABLE webgraph_nodes AS
      SELECT p.fp, p.url, p.inlinks, p.outlinks, ${score} AS score
      FROM webgraph_nodes p JOIN graph_nodes n ON n.name = p.fp JOIN ranks r ON r.id = n.id`)
  else
    await session.run(`
      CREATE OR REPLACE TABLE webgraph_hosts AS
      SELECT n.name AS host, coalesce(i.inlinks, 0)::UINTEGER AS inlinks, r.degree AS outlinks, ${score} AS score
      FROM graph_nodes n JOIN ranks r ON r.id = n.id
      LEFT JOIN (SELECT target, count(*) AS inlinks FROM graph_edges GROUP BY target) i ON i.target = n.id`)
}
