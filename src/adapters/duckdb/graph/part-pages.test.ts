import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectToMemory } from '../../../../testing/memory-database.ts'
import { Session } from '../session.ts'
import { type GraphFile, type GraphPart, numberFiles, pageRanges, pagesIn } from './part-pages.ts'

let session: Session
let folder: string
let files: readonly GraphFile[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orbweaver-'))
  session = new Session(await connectToMemory())
  // 5,000 pages with two links each in three row groups; then a part with a redirect only; then one with a page and a page that is gone.
  files = numberFiles([
    await writePart(
      1,
      `SELECT 'http://a.test/' || i, ['http://b.test/', 'http://c.test/'] FROM range(5000) t(i)`,
    ),
    await writePart(2, undefined, `SELECT 'http://r.test/', 'fetch_redir_perm', 'http://a.test/1'`),
    await writePart(3, `SELECT 'http://d.test/', []`, `SELECT 'http://gone.test/', 'fetch_gone', NULL`),
  ])
})
afterEach(async () => {
  session.close()
  await rm(folder, { recursive: true })
})

const NO_FETCHES = `SELECT '', 'fetch_success', NULL`

async function writePart(
  number: number,
  pages: string | undefined,
  fetches = NO_FETCHES,
): Promise<GraphPart> {
  const part = `part-${number}.parquet`
  const fetched = join(folder, `fetched-${part}`)
  const parsed = join(folder, `parsed-${part}`)
  await session.run(
    `COPY (SELECT url, status, redirect_to::VARCHAR AS redirect_to FROM (${fetches}) t(url, status, redirect_to)) TO '${fetched}'`,
  )
  if (pages !== undefined)
    await session.run(
      `COPY (SELECT url, outlinks::VARCHAR[] AS outlinks FROM (${pages}) t(url, outlinks)) TO '${parsed}' (ROW_GROUP_SIZE 2048)`,
    )
  return { segment: '20270101000000', part, fetched, parsed: pages === undefined ? undefined : parsed }
}

const versions = async (select: string) =>
  (await session.all<{ version: bigint }>(`SELECT version FROM (${select}) ORDER BY version`)).map(
    ({ version }) => version,
  )

describe('pagesIn', () => {
  it('has parsed pages, redirects and pages that are gone, the newest with the highest version', async () => {
    const rows = await session.all(
      `SELECT url, outlinks FROM (${pagesIn(files)}) ORDER BY version DESC LIMIT 4`,
    )
    expect(rows).toEqual([
      { url: 'http://d.test/', outlinks: [] },
      { url: 'http://gone.test/', outlinks: [] },
      { url: 'http://r.test/', outlinks: ['http://a.test/1'] },
      { url: 'http://a.test/4999', outlinks: ['http://b.test/', 'http://c.test/'] },
    ])
  })

  it('has no pages without files', async () => {
    expect(await versions(pagesIn([]))).toEqual([])
  })
})

describe('pageRanges', () => {
  it.each([1, 4_100, 5_000, 1e9])('has each page in one range of at most %d links', async (maxLinks) => {
    const ranges = await pageRanges(session, files, maxLinks)
    const found: bigint[] = []
    for (const { from, to, files: own } of ranges)
      found.push(
        ...(await versions(
          `SELECT version FROM (${pagesIn(own)}) WHERE version >= ${from} AND version < ${to}`,
        )),
      )
    expect(found).toEqual(await versions(pagesIn(files)))
  })

  it('has as few ranges as memory allows, and at least one row group in each', async () => {
    const count = async (maxLinks: number) => (await pageRanges(session, files, maxLinks)).length
    expect(await count(1e9)).toBe(1)
    expect(await count(5_000)).toBe(3)
    expect(await count(1)).toBeGreaterThan(3)
  })
})
