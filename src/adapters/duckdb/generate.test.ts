import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
  await crawl.inject([
    { url: 'http://a.test/', score: 3, metadata: { topic: 'x' } },
    { url: 'http://b.test/', score: 1, metadata: {} },
  ])
})
afterEach(() => crawl.remove())

it('takes the given URLs, due or not, that are on no other fetch list', async () => {
  await crawl.generate({ topN: 1 })
  const urls = ['http://a.test/', 'http://b.test/', 'http://unknown.test/']
  const [segment] = (await crawl.generate({ urls })).segments
  expect(segment).toMatchObject({ urls: 1 })
  expect(await crawl.db.find('http://b.test/')).toMatchObject({ generatedIn: segment?.name })
})

it.each(["metadata ->> 'topic' = 'x'", 'score = any([2, 3])', 'score IN (VALUES (3), (4))'])(
  'takes matching URLs with the condition %j',
  async (expr) => {
    const [segment] = (await crawl.generate({ expr })).segments
    expect(segment).toMatchObject({ urls: 1 })
    expect(await crawl.db.find('http://a.test/')).toMatchObject({ generatedIn: segment?.name })
  },
)
