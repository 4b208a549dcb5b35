import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defaultRules } from '../../../testing/rule-sets.ts'
import { writeSegmentPart } from '../../../testing/segment-parts.ts'
import type { UpdateRequest } from '../../domain/crawldb/crawl-db-requests.ts'
import { LocalSegmentFolder } from '../crawl-directory/segment-folder.ts'
import { Database } from './database.ts'
import { prepareSchema } from './schema.ts'
import { updateInBatches } from './update-in-batches.ts'

const SEGMENT = '20270115080000'
const NEXT = '20270115090000'
const NOW = Date.UTC(2027, 0, 15, 10)
const PAGES = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3']

let path: string
let database: Database
let folder: LocalSegmentFolder
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'orbweaver-'))
  database = await Database.open(join(path, 'crawldb.duckdb'), { threads: '1' }, path)
  await database.change((session) => prepareSchema(session, path))
  folder = new LocalSegmentFolder(join(path, 'segments'))
  // Each page has a part with a link of its own and one that all pages share.
  for (const [i, url] of PAGES.entries()) {
    const link = { fromUrl: url, kind: 'link' as const, score: 0.5 }
    const own = { ...link, url: `http://a.test/of-${i}`, metadata: { lastmod: `2027-01-0${i + 1}` } }
    await writeSegmentPart(join(path, 'segments', i < 2 ? SEGMENT : NEXT), {
      fetch: [{ url, status: 'fetch_success', fetchedAt: NOW, scoreGiven: 1, dropped: { scope: 1 } }],
      links: [own, { ...link, url: 'http://a.test/shared' }],
    })
  }
})
afterEach(async () => {
  await database.close()
  await rm(path, { recursive: true })
})

function update(maxLinks: number, more: Partial<UpdateRequest> = {}) {
  const request = { segments: [SEGMENT, NEXT], rules: defaultRules, now: NOW, ...more }
  return updateInBatches(database, folder, request, maxLinks)
}

function records(): Promise<unknown[]> {
  return database.read((session) =>
    session.all('SELECT url, score, status, generated_in, metadata FROM urls ORDER BY url'),
  )
}

it('gives the same result in batches as in one merge', async () => {
  const inBatches = await update(2)
  const afterBatches = await records()
  expect(inBatches).toMatchObject({
    ...{ fetched: 3, links: 6, parts: 3, dropped: { scope: 3 }, pending: { [SEGMENT]: 0, [NEXT]: 0 } },
  })
  await database.change(async (session) => {
    await session.begin()
    await session.run('DELETE FROM urls; DELETE FROM folded_parts; DELETE FROM segments; DELETE FROM drops')
  })
  const { changed, ...together } = await update(100)
  expect(inBatches).toMatchObject(together)
  expect(await records()).toEqual(afterBatches)
  expect(changed).toBe(0)
})

it('leaves the remaining batches to the next update when it is stopped', async () => {
  const stop = new AbortController()
  // The schedule is called for the first page.
  const { schedule } = defaultRules
  const stopping = {
    ...schedule,
    onFetched: (...args: Parameters<typeof schedule.onFetched>) => {
      setImmediate(() => stop.abort())
      return schedule.onFetched(...args)
    },
  }
  const rules = { ...defaultRules, schedule: stopping }
  const stopped = await update(2, { rules, signal: stop.signal })
  expect(stopped.partsLeft).toBeGreaterThan(0)
  expect(stopped.parts + (stopped.partsLeft ?? 0)).toBe(3)
  expect(await update(2)).toMatchObject({ parts: stopped.partsLeft, fetched: stopped.partsLeft })
  expect(await records()).toHaveLength(7)
  expect(await update(2)).toMatchObject({ parts: 0, fetched: 0 })
})

it('undoes the batch that is being merged when it is stopped', async () => {
  const stop = new AbortController()
  stop.abort()
  expect(await update(100, { signal: stop.signal })).toMatchObject({ parts: 0, added: 0, partsLeft: 3 })
  expect(await records()).toEqual([])
})

it('reports a failure that has another cause than the stop', async () => {
  const failing = {
    ...defaultRules,
    schedule: {
      ...defaultRules.schedule,
      initialise: () => {
        throw new Error('broken')
      },
    },
  }
  await expect(update(2, { rules: failing })).rejects.toThrow('broken')
})

it('returns freed memory before and after the batches', async () => {
  const release = vi.spyOn(database, 'releaseFreedMemory')
  const change = vi.spyOn(database, 'change')
  await update(2)
  const [before, after] = release.mock.invocationCallOrder
  expect(before).toBeLessThan(Math.min(...change.mock.invocationCallOrder))
  expect(after).toBeGreaterThan(Math.max(...change.mock.invocationCallOrder))
})
