import { copyFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { writeSegmentPart } from '../../../testing/segment-parts.ts'
import type { JudgeUrl } from '../../domain/crawldb/crawl-db-requests.ts'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
})
afterEach(() => crawl.remove())

const A = 'http://a.test/'
const B = 'http://b.test/'

it('does not close a segment that gets parts while it is merged', async () => {
  await crawl.inject([A, B])
  const [list] = (await crawl.generate()).segments
  const segment = list?.name ?? ''
  const fetchedAt = crawl.clock.now()
  const add = (name: string, url: string) =>
    writeSegmentPart(crawl.segmentPath(name), { fetch: [{ url, status: 'fetch_success', fetchedAt }] })
  await add(segment, A)
  const spare = '20270115090000'
  await add(spare, B)
  const file = 'crawl_fetch/part-00000'
  // The fetcher writes on while the update is under way: after it has listed the parts, when it judges the first URL.
  const judge: JudgeUrl = (url) => {
    const from = crawl.segmentPath(`${spare}/${file}1-test.parquet`)
    copyFileSync(from, crawl.segmentPath(`${segment}/${file}2-test.parquet`))
    return { ok: true, url }
  }
  expect(await crawl.update([segment], { judge })).toMatchObject({ parts: 1, pending: { [segment]: 1 } })
  expect(await crawl.db.find(B)).toMatchObject({ generatedIn: segment })
  expect(await crawl.update([segment])).toMatchObject({ parts: 1, pending: { [segment]: 0 } })
})
