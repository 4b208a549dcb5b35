import { ConfigurationError } from '../base/crawl-error.ts'
import { keeping } from '../base/interrupted.ts'
import type {
  GraphRequest,
  GraphResult,
  RankRequest,
  RankResult,
  WebGraph,
} from '../domain/crawldb/web-graph.ts'
import { type CrawlSession, chosenSegments } from './crawl-session.ts'

/** Options of {@link Crawl.buildGraph}. */
export interface BuildGraphOptions extends Omit<GraphRequest, 'segments'> {
  /** Names of segments. @default all */
  readonly segments?: readonly string[]
}

/** Options of {@link Crawl.rankLinks}. */
export interface RankLinksOptions extends RankRequest {
  /** Set the score of each record to its rank; only for pages. @default false */
  readonly updateScores?: boolean
  /** The score of records that are not in the graph, with `updateScores`. @default 0 */
  readonly clearScore?: number
}

/** Result of {@link Crawl.rankLinks}. */
export interface RankedLinks extends RankResult {
  /** Records that got a score; absent without `updateScores`. */
  readonly scores?: { readonly ranked: number; readonly cleared: number }
}

export async function buildGraphStep(
  session: CrawlSession,
  { segments, ...options }: BuildGraphOptions,
): Promise<GraphResult> {
  const graph = graphOf(session)
  const { ignoreInternal } = options
  if (ignoreInternal !== undefined && !['none', 'host', 'domain'].includes(ignoreInternal))
    throw new ConfigurationError('OPTION_INVALID', 'ignoreInternal must be none, host or domain')
  return graph.build({ ...options, segments: await chosenSegments(session.segments, segments) })
}

export async function rankLinksStep(session: CrawlSession, options: RankLinksOptions): Promise<RankedLinks> {
  const { updateScores = false, clearScore = 0, ...request } = options
  const graph = graphOf(session)
  const { by = 'page' } = request
  if (by !== 'page' && by !== 'host')
    throw new ConfigurationError('OPTION_INVALID', 'by must be page or host')
  if (updateScores && by === 'host')
    throw new ConfigurationError(
      'OPTION_INVALID',
      'updateScores (--update-scores) needs the ranks of pages: leave out "by host"',
    )
  const ranked = await graph.rank(request)
  // A crawl without a graph keeps its scores.
  if (!updateScores || ranked.nodes === 0) return ranked
  const scores = await keeping('the ranks are stored, the scores of the CrawlDb are unchanged', () =>
    graph.updateScores(clearScore, request.signal),
  )
  return { ...ranked, scores }
}

/** @throws ConfigurationError if the engine has no web graph */
function graphOf({ graph, path }: Pick<CrawlSession, 'graph' | 'path'>): WebGraph {
  if (graph !== undefined) return graph
  throw new ConfigurationError(
    'CRAWL_MISMATCH',
    `the web graph needs the engine DuckDB, and the CrawlDb of ${path} is on Spark: convert it with "orbweaver db convert ${path} --to duckdb"`,
  )
}
