import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, commandJson, DemoCrawls } from '../../testing/command-line.ts'
import type { GraphNode } from '../flows/cycle/top-nodes.ts'

let crawls: DemoCrawls
let dir: string

beforeAll(async () => {
  crawls = await DemoCrawls.start()
  dir = await crawls.crawl('crawl')
})

afterAll(() => crawls.close())

describe('webgraph, linkrank and nodes', () => {
  it('say what to run first', async () => {
    expect(await command(['linkrank', dir])).toMatchObject({
      exitCode: 1,
      stdout: `the web graph is empty: run orbweaver webgraph ${dir} first\n`,
    })
    expect(await command(['nodes', dir])).toMatchObject({ exitCode: 1 })
  })

  it('rank the pages of a crawl', async () => {
    const { stdout } = await command(['webgraph', dir])
    expect(stdout).toMatch(
      /^\d+ nodes and \d+ links in the web graph, links of \d+ pages added or replaced\n$/,
    )
    expect((await command(['webgraph', dir])).stdout).toContain('links of 0 pages added')
    expect((await command(['linkrank', dir])).stdout).toMatch(
      /^\d+ pages and \d+ links ranked in \d+ iterations/,
    )
    const nodes = await commandJson<GraphNode[]>(['nodes', dir, '--top', '1000'])
    const scores = nodes.map(({ score }) => score ?? 0)
    expect(scores.reduce((sum, score) => sum + score, 0) / nodes.length).toBeCloseTo(1, 4)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  it('list hosts and domains', async () => {
    for (const by of ['host', 'domain'])
      expect(await commandJson(['nodes', dir, '--by', by, '--type', 'max'])).toHaveLength(2)
    const { stdout } = await command(['nodes', dir, '--by', 'host', '--sort', 'inlinks', '--csv'])
    expect(stdout).toMatch(/^score,inlinks,outlinks,name\r\n/)
    expect((await command(['linkrank', dir, '--by', 'host'])).stdout).toMatch(/^2 hosts and \d link/)
  })

  it('set the scores of the CrawlDb', async () => {
    const { scores } = await commandJson<{ scores: { ranked: number; cleared: number } }>([
      'linkrank',
      dir,
      '--update-scores',
    ])
    expect(scores.ranked).toBeGreaterThan(10)
    const [best] = await commandJson<GraphNode[]>(['nodes', dir, '--top', '1'])
    const [record] = await commandJson<{ url: string; score: number }[]>(['readdb', dir, '--top-n', '1'])
    expect(record).toMatchObject({ url: best?.name, score: expect.closeTo(best?.score ?? 0, 4) })
  })

  it.each([
    [['linkrank', '--by', 'host', '--update-scores'], '--update-scores'],
    [['linkrank', '--damping', '1.5'], 'the damping factor is 1.5'],
    [['linkrank', '--tolerance', '0'], 'the tolerance is 0'],
    [['webgraph', '19990101000000'], 'there is no segment 19990101000000'],
  ])('reject %j', async ([name = '', ...flags], message) => {
    const { exitCode, stderr } = await command([name, dir, ...flags])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(message)
  })
})
