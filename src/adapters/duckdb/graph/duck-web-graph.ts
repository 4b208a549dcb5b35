import { CrawlError } from '../../../base/crawl-error.ts'
import type {
  GraphRequest,
  GraphResult,
  RankRequest,
  RankResult,
  WebGraph,
} from '../../../domain/crawldb/web-graph.ts'
import type { SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import type { Database } from '../database.ts'
import type { Session } from '../session.ts'

/** The web graph in the DuckDB file of a crawl. Each method is one transaction. Its code is loaded late: most crawls do not use it. */
export class DuckWebGraph implements WebGraph {
  readonly #database: Database
  readonly #folder: SegmentFolder
  readonly #linkFile: string

  /** @param linkFile a temporary file, while nodes are ranked */
  constructor(database: Database, folder: SegmentFolder, linkFile: string) {
    this.#database = database
    this.#folder = folder
    this.#linkFile = linkFile
  }

  async build(request: GraphRequest): Promise<GraphResult> {
    const { buildGraph } = await import('./build-graph.ts')
    return this.#change((session) => buildGraph(session, this.#folder, request), request.signal)
  }

  async rank(request: RankRequest = {}): Promise<RankResult> {
    const { rankNodes } = await import('./rank-nodes.ts')
    return this.#change((session) => rankNodes(session, request, this.#linkFile), request.signal)
  }

  async updateScores(clearScore: number, signal?: AbortSignal): Promise<{ ranked: number; cleared: number }> {
    const { updateScores } = await import('./update-scores.ts')
    return this.#database.change((session) => updateScores(session, clearScore), signal)
  }

  async #change<T>(work: (session: Session) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await this.#database.change(work, signal)
    } catch (error) {
      throw signal?.aborted ? new RankingInterrupted({ cause: error }) : error
    }
  }
}

/**
 * `orbweaver webgraph` or `orbweaver linkrank` was interrupted. The last complete graph and its scores are still stored.
 * Remedy: Run the command again.
 */
export class RankingInterrupted extends CrawlError {
  readonly code = 'RANKING_INTERRUPTED'
  readonly retryable = true

  constructor(options: ErrorOptions) {
    super('interrupted; nothing was changed, run the command again', options)
  }
}
