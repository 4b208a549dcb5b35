import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../../testing/crawl-directory.ts'
import { writeSegmentPart } from '../../../../testing/segment-parts.ts'
import type { GraphRequest, WebGraph } from '../../../domain/crawldb/web-graph.ts'

const OLD = '20270101000000'
const NEW = '20270102000000'
const A = 'http://www.a.test/'
const B = 'http://www.b.test/'
const C = 'http://www.c.test/'
const A2 = 'http://www.a.test/2'
const SHOP = 'http://shop.a.test/'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
})
afterEach(() => crawl.remove())

function page(segment: string, url: string, outlinks: readonly string[]): Promise<void> {
  return writeSegmentPart(crawl.segmentPath(segment), {
    pages: [{ url, outlinks: [...outlinks] }],
    fetch: [{ url, status: 'fetch_success' }],
  })
}

function graph(): WebGraph {
  if (crawl.directory.graph === undefined) throw new Error('there is no web graph')
  return crawl.directory.graph
}

const build = (request: Partial<GraphRequest> = {}) => graph().build({ segments: [OLD], ...request })

async function links(): Promise<string[]> {
  const { rows } = await crawl.directory.reader.sql(`
    SELECT f.url || ' ' || t.url FROM webgraph_links l
    JOIN webgraph_nodes f ON f.fp = l.from_fp JOIN webgraph_nodes t ON t.fp = l.to_fp ORDER BY ALL`)
  return rows.map(([link]) => String(link))
}

async function nodes(): Promise<unknown[]> {
  const { rows } = await crawl.directory.reader.sql(
    'SELECT url, inlinks, outlinks FROM webgraph_nodes ORDER BY url',
  )
  return [...rows]
}

it('has the links of pages, each once, and counts them', async () => {
  await page(OLD, A, [B, B, C, A])
  await page(OLD, B, [C])
  expect(await build()).toEqual({ pages: 2, nodes: 3, links: 3, rebuilt: false })
  expect(await links()).toEqual([`${A} ${B}`, `${A} ${C}`, `${B} ${C}`])
  expect(await nodes()).toEqual([
    [A, 0, 2],
    [B, 1, 1],
    [C, 2, 0],
  ])
})

it('has redirects as links, and no links of pages that are gone', async () => {
  await writeSegmentPart(crawl.segmentPath(OLD), {
    pages: [{ url: B, outlinks: [A] }],
    fetch: [
      { url: A, status: 'fetch_redir_perm', redirectTo: C },
      { url: B, status: 'fetch_success' },
    ],
  })
  await build()
  expect(await links()).toEqual([`${A} ${C}`, `${B} ${A}`])
  await writeSegmentPart(crawl.segmentPath(NEW), { fetch: [{ url: B, status: 'fetch_gone' }] })
  await build({ segments: [NEW] })
  expect(await links()).toEqual([`${A} ${C}`])
})

it('adds only new parts, and the newest version of a page counts', async () => {
  await page(OLD, A, [B])
  await page(NEW, A, [C])
  expect(await build({ segments: [NEW] })).toMatchObject({ pages: 1 })
  expect(await build({ segments: [OLD, NEW] })).toMatchObject({ pages: 0, links: 1 })
  expect(await links()).toEqual([`${A} ${C}`])
  await page(NEW, B, [A])
  expect(await build({ segments: [OLD, NEW] })).toMatchObject({ pages: 1, links: 2 })
  expect(await build({ segments: [OLD, NEW] })).toMatchObject({ pages: 0, links: 2 })
})

it('forgets nodes that no page links to any more', async () => {
  await page(OLD, A, [B])
  await page(NEW, A, [])
  await build()
  await build({ segments: [NEW] })
  expect(await nodes()).toEqual([[A, 0, 0]])
})

it.each([
  [{}, [`${A} ${A2}`, `${A} ${SHOP}`, `${A} ${B}`]],
  [{ ignoreInternal: 'host' as const }, [`${A} ${SHOP}`, `${A} ${B}`]],
  [{ ignoreInternal: 'domain' as const }, [`${A} ${B}`]],
  [{ maxPerPage: 1 }, [`${A} ${A2}`]],
  [{ maxPerDomain: 1 }, [`${A} ${A2}`, `${A} ${B}`]],
  [{ duplicates: true }, [`${A} ${A2}`, `${A} ${SHOP}`, `${A} ${B}`, `${A} ${B}`]],
])('keeps the links that %j allows', async (options, expected) => {
  await page(OLD, A, [A2, SHOP, B, B])
  await build(options)
  expect(await links()).toEqual([...expected].sort())
})

it('is built again when the options change', async () => {
  await page(OLD, A, [A2, B])
  await build()
  expect(await build({ ignoreInternal: 'host' })).toEqual({ pages: 1, nodes: 2, links: 1, rebuilt: true })
  expect(await links()).toEqual([`${A} ${B}`])
})

it('sets the scores of records, and clears those that are not in the graph', async () => {
  await crawl.inject([A, B, 'http://lonely.test/'])
  await page(OLD, A, [B])
  await build()
  await graph().rank()
  expect(await graph().updateScores(0.25)).toEqual({ ranked: 2, cleared: 1 })
  const records = await crawl.db.findAll([A, B, 'http://lonely.test/'])
  expect(records.get('http://lonely.test/')?.score).toBe(0.25)
  expect(records.get(B)?.score).toBeGreaterThan(records.get(A)?.score ?? 2)
})

it('keeps scores until the next ranking', async () => {
  await page(OLD, A, [B])
  await build()
  await graph().rank()
  await page(NEW, C, [A])
  await build({ segments: [NEW] })
  const { rows } = await crawl.directory.reader.sql('SELECT url FROM webgraph_nodes WHERE score IS NULL')
  expect(rows).toEqual([[C]])
})

it('changes nothing if it is interrupted', async () => {
  await page(OLD, A, [B])
  await build()
  await graph().rank()
  const before = await crawl.directory.reader.sql('SELECT * FROM webgraph_nodes ORDER BY fp')
  await page(NEW, A, [C])
  const interrupted = { code: 'RANKING_INTERRUPTED', message: expect.stringContaining('nothing was changed') }
  const controller = new AbortController()
  const building = build({ segments: [NEW], signal: controller.signal })
  controller.abort()
  await expect(building).rejects.toMatchObject(interrupted)
  await expect(graph().rank({ signal: AbortSignal.abort() })).rejects.toMatchObject(interrupted)
  const stopped = new AbortController()
  const ranking = graph().rank({
    signal: stopped.signal,
    tolerance: 1e-300,
    onIteration: () => stopped.abort(),
  })
  await expect(ranking).rejects.toMatchObject(interrupted)
  expect(await crawl.directory.reader.sql('SELECT * FROM webgraph_nodes ORDER BY fp')).toEqual(before)
  expect(await build({ segments: [NEW] })).toMatchObject({ pages: 1, links: 1 })
})
