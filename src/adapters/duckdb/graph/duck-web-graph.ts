import type {
  GraphRequest,
  GraphResult,
  RankRequest,
  RankResult,
  WebGraph,
} from '../../../domain/crawldb/web-graph.ts'
import type { SegmentFolder } from '../../crawl-directory/segment-folder.ts'
import type { Database } from '../database.ts'
import { buildGraph } from './build-graph.ts'
import { rankNodes } from './rank-nodes.ts'
import { updateScores } from './update-scores.ts'

/** The web graph in the DuckDB file of a crawl. Each method is one transaction. */
export class DuckWebGraph implements WebGraph {
  readonly #database: Database
  readonly #folder: SegmentFolder

  constructor(database: Database, folder: SegmentFolder) {
    this.#database = database
    this.#folder = folder
  }

  build(request: GraphRequest): Promise<GraphResult> {
    return this.#database.change((session) => buildGraph(session, this.#folder, request))
  }

  rank(request: RankRequest = {}): Promise<RankResult> {
    return this.#database.change((session) => rankNodes(session, request))
  }

  updateScores(clearScore: number): Promise<{ ranked: number; cleared: number }> {
    return this.#database.change((session) => updateScores(session, clearScore))
  }
}
