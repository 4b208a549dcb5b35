import type {
  GraphRequest,
  GraphResult,
  RankRequest,
  RankResult,
  WebGraph,
} from '../../../domain/crawldb/web-graph.ts'
import type { SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import type { Database } from '../database.ts'

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
    return this.#database.change((session) => buildGraph(session, this.#folder, request))
  }

  async rank(request: RankRequest = {}): Promise<RankResult> {
    const { rankNodes } = await import('./rank-nodes.ts')
    return this.#database.change((session) => rankNodes(session, request, this.#linkFile))
  }

  async updateScores(clearScore: number): Promise<{ ranked: number; cleared: number }> {
    const { updateScores } = await import('./update-scores.ts')
    return this.#database.change((session) => updateScores(session, clearScore))
  }
}
