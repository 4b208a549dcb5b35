import { DOUBLE, UINTEGER } from '@duckdb/node-api'
import { ConfigurationError } from '../../../base/crawl-error.ts'
import type { RankRequest, RankResult, RankUnit } from '../../../domain/crawldb/web-graph.ts'
import { PAGE_RANK_BYTES_PER_NODE, PageRank } from '../../../domain/scoring/page-rank.ts'
import { ResourcesExhausted } from '../../crawl-directory/crawl-directory-error.ts'
import { readMemoryLimit } from '../memory-limit.ts'
import { hostSql } from '../new-urls.ts'
import type { Session } from '../session.ts'
import { LinkFile } from './link-file.ts'

/**
 * Computes the LinkRank of all nodes and stores it at the end.
 * @param linkFile where the links are while it runs
 */
export async function rankNodes(
  session: Session,
  request: RankRequest,
  linkFile: string,
): Promise<RankResult> {
  const { by = 'page', damping = 0.85, tolerance = 1e-4 } = request
  checkBounds(damping, tolerance)
  const nodes = await numberNodes(session, by)
  await checkMemory(session, nodes)
  const ranks = new PageRank(nodes)
  const links = await LinkFile.create(linkFile)
  try {
    await readLinks(session, by, ranks, links, request.signal)
    const { iterations, change } = await iterate(ranks, links, request)
    await stageRanks(session, ranks)
    await session.begin()
    await storeScores(session, by, nodes)
    const { dangling } = ranks
    return { nodes, links: links.length, dangling, iterations, change, converged: change < tolerance }
  } finally {
    await links.remove()
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

async function checkMemory(session: Session, nodes: number): Promise<void> {
  const limit = await readMemoryLimit(session)
  const needed = nodes * PAGE_RANK_BYTES_PER_NODE
  if (needed <= limit) return
  const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
  throw new ResourcesExhausted(
    `the ranks of ${nodes} nodes need ${megabytes(needed)} MB, and the memory limit is ${megabytes(limit)} MB: nothing was changed; raise the limit with --memory ${megabytes(needed)}`,
  )
}

/** Creates the table `graph_nodes (id, name)`, numbered from 0. @returns the number of nodes */
async function numberNodes(session: Session, by: RankUnit): Promise<number> {
  await session.run(NODES[by])
  const { count } = await session.one<{ count: number }>('SELECT count(*)::DOUBLE AS count FROM graph_nodes')
  return count
}

const NODES: Readonly<Record<RankUnit, string>> = {
  page: `
    CREATE TEMP TABLE graph_nodes AS
    SELECT (row_number() OVER () - 1)::UINTEGER AS id, fp AS name FROM webgraph_nodes`,
  host: `
    CREATE TEMP TABLE page_hosts AS SELECT fp, ${hostSql('url')} AS host FROM webgraph_nodes;
    CREATE TEMP TABLE graph_nodes AS
    SELECT (row_number() OVER () - 1)::UINTEGER AS id, host AS name FROM (SELECT DISTINCT host FROM page_hosts);
    CREATE TEMP TABLE host_ids AS SELECT p.fp, n.id FROM page_hosts p JOIN graph_nodes n ON n.name = p.host`,
}

const LINKS: Readonly<Record<RankUnit, string>> = {
  page: `
    SELECT f.id AS source, t.id AS target
    FROM webgraph_links l JOIN graph_nodes f ON f.name = l.from_fp JOIN graph_nodes t ON t.name = l.to_fp`,
  host: `
    SELECT DISTINCT f.id AS source, t.id AS target
    FROM webgraph_links l JOIN host_ids f ON f.fp = l.from_fp JOIN host_ids t ON t.fp = l.to_fp
    WHERE f.id <> t.id`,
}

/** Counts all links and writes them to the file. */
async function readLinks(
  session: Session,
  by: RankUnit,
  ranks: PageRank,
  links: LinkFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const [sources = [], targets = []] of session.streamNumbers(LINKS[by])) {
    signal?.throwIfAborted()
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i] as number
      const target = targets[i] as number
      ranks.countLink(source, target)
      if (links.add(source, target)) await links.flush()
    }
  }
  await links.flush()
}

async function iterate(
  ranks: PageRank,
  links: LinkFile,
  { damping = 0.85, iterations: most = 50, tolerance = 1e-4, signal, onIteration }: RankRequest,
): Promise<Pick<RankResult, 'iterations' | 'change'>> {
  let iterations = 0
  let change = ranks.scores.length === 0 ? 0 : Number.POSITIVE_INFINITY
  while (iterations < most && change >= tolerance) {
    signal?.throwIfAborted()
    change = await ranks.iterate(damping, links.blocks())
    iterations++
    onIteration?.(iterations, change)
  }
  return { iterations, change }
}

/** Creates the table `ranks (id, score, inlinks, outlinks)`. */
async function stageRanks(session: Session, { scores, inlinks, outlinks }: PageRank): Promise<void> {
  const columns = { id: UINTEGER, score: DOUBLE, inlinks: UINTEGER, outlinks: UINTEGER }
  const staged = await session.stage('ranks', columns)
  for (let i = 0; i < scores.length; i++) staged.add(i, scores[i] ?? 0, inlinks[i] ?? 0, outlinks[i] ?? 0)
  staged.close()
}

/** Scores are stored with the mean 1. */
async function storeScores(session: Session, by: RankUnit, nodes: number): Promise<void> {
  const score = `(r.score * ${nodes})::FLOAT`
  if (by === 'page')
    await session.run(`
      CREATE OR REPLACE TABLE webgraph_nodes AS
      SELECT p.fp, p.url, p.inlinks, p.outlinks, ${score} AS score
      FROM webgraph_nodes p JOIN (SELECT n.name, r.score FROM graph_nodes n JOIN ranks r ON r.id = n.id) r ON r.name = p.fp`)
  else
    await session.run(`
      CREATE OR REPLACE TABLE webgraph_hosts AS
      SELECT n.name AS host, r.inlinks, r.outlinks, ${score} AS score
      FROM graph_nodes n JOIN ranks r ON r.id = n.id`)
}
