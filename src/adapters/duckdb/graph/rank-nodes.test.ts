import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Edge, exactPageRank } from '../../../../testing/exact-page-rank.ts'
import { connectToMemory } from '../../../../testing/memory-database.ts'
import type { RankRequest } from '../../../domain/crawldb/web-graph.ts'
import { Session } from '../session.ts'
import { GRAPH_TABLES } from './graph-tables.ts'
import { rankNodes } from './rank-nodes.ts'

let session: Session
let folder: string
let linkFile: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orbweaver-'))
  linkFile = join(folder, 'links')
  session = new Session(await connectToMemory())
  await session.run(GRAPH_TABLES)
})
afterEach(async () => {
  session.close()
  await rm(folder, { recursive: true })
})

/** Ranks a graph in a fresh set of tables. Node i is page i of host `h<i>.test`, or of the given host. */
async function ranks(
  nodes: number,
  edges: readonly Edge[],
  request: RankRequest,
  hostOf = (i: number) => `h${i}.test`,
) {
  await session.run(`
    DELETE FROM webgraph_nodes; DELETE FROM webgraph_links;
    DROP TABLE IF EXISTS ranks; DROP TABLE IF EXISTS graph_nodes;
    DROP TABLE IF EXISTS page_hosts; DROP TABLE IF EXISTS host_ids`)
  for (let i = 0; i < nodes; i++)
    await session.run(`INSERT INTO webgraph_nodes VALUES (${i}, 'http://${hostOf(i)}/${i}', 0, 0, NULL)`)
  for (const [source, target] of edges)
    await session.run(`INSERT INTO webgraph_links VALUES (${source}, ${target})`)
  const result = await rankNodes(session, request, linkFile)
  await session.commit()
  const rows = await session.all<{ score: number }>('SELECT score FROM webgraph_nodes ORDER BY fp')
  return { result, scores: rows.map(({ score }) => score) }
}

const graphs = fc.integer({ min: 1, max: 8 }).chain((nodes) => {
  const node = fc.nat({ max: nodes - 1 })
  return fc.record({ nodes: fc.constant(nodes), edges: fc.array(fc.tuple(node, node), { maxLength: 20 }) })
})

describe('rankNodes', () => {
  it('equals PageRank by its definition', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, fc.constantFrom(0, 0.5, 0.85, 0.95), async ({ nodes, edges }, damping) => {
        const { scores, result } = await ranks(nodes, edges, { damping, iterations: 1000, tolerance: 1e-9 })
        const exact = exactPageRank(nodes, edges, damping)
        for (const [i, score] of scores.entries()) expect(score).toBeCloseTo(exact[i] ?? Number.NaN, 5)
        expect(result.converged).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('has the mean 1, also with nodes without links', async () => {
    const { scores, result } = await ranks(3, [[0, 1]], {})
    expect(scores.reduce((sum, score) => sum + score, 0)).toBeCloseTo(3, 5)
    expect(result).toMatchObject({ nodes: 3, links: 1, dangling: 2, converged: true })
  })

  it('stops after the maximum number of iterations', async () => {
    const steps: number[] = []
    const { result } = await ranks(
      2,
      [
        [0, 1],
        [1, 0],
        [0, 0],
      ],
      { iterations: 2, tolerance: 1e-12, onIteration: (iteration) => steps.push(iteration) },
    )
    expect(result).toMatchObject({ iterations: 2, converged: false })
    expect(steps).toEqual([1, 2])
  })

  it('ranks hosts by the links between them, each pair once', async () => {
    // Pages 0 and 1 are on host a, 2 on b, 3 on c.
    const hosts = ['a', 'a', 'b', 'c']
    const edges: Edge[] = [
      [0, 1],
      [0, 2],
      [1, 2],
      [2, 3],
    ]
    await ranks(4, edges, { by: 'host', iterations: 1000, tolerance: 1e-9 }, (i) => `${hosts[i]}.test`)
    const rows = await session.all<{ host: string; inlinks: number; outlinks: number; score: number }>(
      'SELECT * FROM webgraph_hosts ORDER BY host',
    )
    const exact = exactPageRank(
      3,
      [
        [0, 1],
        [1, 2],
      ],
      0.85,
    )
    expect(rows.map(({ host, inlinks, outlinks }) => [host, inlinks, outlinks])).toEqual([
      ['a.test', 0, 1],
      ['b.test', 1, 1],
      ['c.test', 1, 0],
    ])
    for (const [i, { score }] of rows.entries()) expect(score).toBeCloseTo(exact[i] ?? Number.NaN, 5)
  })

  it('ranks an empty graph', async () => {
    expect((await ranks(0, [], {})).result).toMatchObject({ nodes: 0, iterations: 0, converged: true })
  })

  it('leaves no file if it is interrupted', async () => {
    await expect(ranks(2, [[0, 1]], { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    expect(existsSync(linkFile)).toBe(false)
  })

  it('reads links that fill more than one block', async () => {
    const nodes = 1_000
    await session.run(`
      DELETE FROM webgraph_nodes; DELETE FROM webgraph_links;
      INSERT INTO webgraph_nodes SELECT i, 'http://a.test/' || i, 0, 0, NULL FROM range(${nodes}) t(i);
      INSERT INTO webgraph_links
      SELECT i, (i + j) % ${nodes} FROM range(${nodes}) t(i), range(1, 401) s(j)`)
    const result = await rankNodes(session, {}, linkFile)
    await session.commit()
    expect(result).toMatchObject({ nodes, links: 400_000, dangling: 0, converged: true })
    const [row] = await session.all('SELECT min(score) AS low, max(score) AS high FROM webgraph_nodes')
    expect(row).toEqual({ low: expect.closeTo(1, 5), high: expect.closeTo(1, 5) })
  })

  it('says how much memory it needs if that is more than the limit', async () => {
    const settings = { memory_limit: '20MB', temp_directory: join(folder, 'spill') }
    const limited = new Session(await (await DuckDBInstance.create(':memory:', settings)).connect())
    await limited.run(GRAPH_TABLES)
    await limited.run(`
      INSERT INTO webgraph_nodes SELECT i, 'http://a.test/' || i, 0, 0, NULL FROM range(700_000) t(i)`)
    await expect(rankNodes(limited, {}, linkFile)).rejects.toMatchObject({
      code: 'RESOURCES_EXHAUSTED',
      message: expect.stringContaining('raise the limit with --memory 23'),
    })
    limited.close()
  })

  it.each([{ damping: 1 }, { damping: -0.1 }, { tolerance: 0 }])('rejects %j', async (request) => {
    await expect(rankNodes(session, request, linkFile)).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })
})
