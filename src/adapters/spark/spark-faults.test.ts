import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CrawlStores, TestCrawl } from '../../../testing/crawl-directory.ts'
import { writeSegmentPart } from '../../../testing/segment-parts.ts'
import { findSpark } from '../../../testing/spark.ts'
import { openWithSpark, startTestSpark } from '../../../testing/spark-stores.ts'
import type { SparkSession } from './spark-session.ts'

const A = 'http://a.test/'

describe.skipIf(!findSpark().ok)('faults of Spark', { timeout: 600_000 }, () => {
  let session: SparkSession
  let crawl: TestCrawl<CrawlStores>
  let rules: string
  beforeEach(async () => {
    session = await startTestSpark({ master: 'local[2]' })
    rules = 'default'
    crawl = await TestCrawl.createWith(
      openWithSpark(
        () => session,
        () => rules,
      ),
    )
    await crawl.inject([A])
  }, 600_000)
  afterEach(async () => {
    await crawl.remove()
    await session.close()
  })

  async function current(): Promise<unknown> {
    return JSON.parse(await readFile(join(crawl.path, 'crawldb/current.json'), 'utf8'))
  }

  it('keeps the old version when the driver is killed in an update, and the next update does all of it', async () => {
    const [segment] = (await crawl.generate()).segments
    const name = segment?.name ?? ''
    await writeSegmentPart(crawl.segmentPath(name), {
      fetch: [{ url: A, status: 'fetch_success', fetchedAt: crawl.clock.now(), scoreGiven: 1 }],
      links: [{ fromUrl: A, url: 'http://b.test/', kind: 'link', score: 0.5 }],
    })
    const before = await current()
    // All tables of the next version are written then, and it is not installed.
    const request = session.request.bind(session)
    session.request = (op, parameters) => {
      if (op === 'replace_file') process.kill(-(session.pid ?? 0), 'SIGKILL')
      return request(op, parameters)
    }
    await expect(crawl.update([name])).rejects.toMatchObject({ code: 'SPARK_UNAVAILABLE' })
    expect(await current()).toEqual(before)
    expect(await readdir(join(crawl.path, 'crawldb/versions'))).toEqual(['1', '2', '3'])

    await session.close()
    session = await startTestSpark({ master: 'local[2]' })
    await crawl.reopen()
    expect((await crawl.db.find(A))?.status).toBe('db_unfetched')
    expect(await crawl.update([name])).toMatchObject({ fetched: 1, added: 1, pending: { [name]: 0 } })
    expect((await crawl.db.find(A))?.status).toBe('db_fetched')
    expect(await crawl.db.find('http://b.test/')).toMatchObject({ score: 0.5 })
    const { version, tables } = (await current()) as { version: number; tables: Record<string, string> }
    expect(version).toBe(3)
    const written = await readdir(join(crawl.path, 'crawldb/versions/3'))
    const used = Object.values(tables).filter((path) => path.startsWith('3/'))
    expect(written.map((folder) => `3/${folder}`).sort()).toEqual(used.sort())
  })

  it('keeps two versions, and says when a rule fails or Node.js is missing', async () => {
    for (const url of ['http://b.test/', 'http://c.test/', 'http://d.test/']) await crawl.inject([url])
    expect(await readdir(join(crawl.path, 'crawldb/versions'))).toEqual(['2', '3', '4'])
    const before = await current()

    rules = 'failing'
    await expect(crawl.inject([{ url: A, score: 2, metadata: {} }], { existing: 'update' })).rejects.toThrow(
      /a rule of the crawl failed: there is no rule set failing/,
    )
    expect(await current()).toEqual(before)

    Object.assign(session, { node: 'no-such-node' })
    await expect(crawl.inject([{ url: A, score: 2, metadata: {} }], { existing: 'update' })).rejects.toThrow(
      /cannot start Node.js with "no-such-node"/,
    )
    expect(await current()).toEqual(before)
    expect((await crawl.db.stats()).total).toBe(4)
  })
})
