import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { defaultRules } from '../../../testing/rule-sets.ts'
import { writeSegmentPart } from '../../../testing/segment-parts.ts'
import { createDepthScoring } from '../../domain/scoring/depth-scoring.ts'

/* What sitemaps and feeds say about pages reaches their records: in SQL for most, by the rules for pages that may have to be fetched. */

const HOUR_MS = 3_600_000
let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
})
afterEach(() => crawl.remove())

const MAP = 'http://a.test/sitemap.xml'
const iso = (time: number) => new Date(time).toISOString()

async function list(
  segment: string,
  entries: Readonly<Record<string, Record<string, string>>>,
  rules = defaultRules,
) {
  const links = Object.entries(entries).map(([url, metadata]) => ({
    ...{ fromUrl: MAP, url, kind: 'link' as const, score: 0, metadata },
  }))
  await writeSegmentPart(crawl.segmentPath(segment), {
    fetch: [{ url: MAP, status: 'fetch_success', fetchedAt: crawl.clock.now(), scoreGiven: 0 }],
    links,
  })
  return crawl.update([segment], { rules })
}

it.each([
  ['in SQL', defaultRules],
  ['by the rules', { ...defaultRules, scoring: createDepthScoring() }],
])('gives a new page its priority and metadata: %s', async (_how, rules) => {
  await crawl.inject([MAP])
  const lastmod = iso(crawl.clock.now())
  await list(
    '20270115090000',
    {
      'http://a.test/1': { lastmod, changefreq: 'daily', priority: '0.75' },
      'http://a.test/2.xml': { sitemap: 'yes', fixedInterval: '86400' },
      'http://a.test/3': { priority: 'high' },
    },
    rules,
  )
  expect(await crawl.db.find('http://a.test/1')).toMatchObject({
    score: 0.75,
    metadata: { lastmod, changefreq: 'daily' },
  })
  expect((await crawl.db.find('http://a.test/1'))?.metadata).not.toHaveProperty('priority')
  expect(await crawl.db.find('http://a.test/2.xml')).toMatchObject({ metadata: { sitemap: 'yes' } })
  expect(await crawl.db.find('http://a.test/3')).toMatchObject({ status: 'db_unfetched', score: 0 })
})

async function fetchPage(segment: string, signature: string): Promise<void> {
  await writeSegmentPart(crawl.segmentPath(segment), {
    fetch: [
      {
        ...{ url: 'http://a.test/1', status: 'fetch_success', fetchedAt: crawl.clock.now(), signature },
        scoreGiven: 0,
      },
    ],
  })
  await crawl.update([segment])
}

it('makes a page due that changed after its last fetch, until such a date was wrong', async () => {
  await crawl.inject([MAP, 'http://a.test/1'])
  await fetchPage('20270115090000', '01')
  const page = async () => await crawl.db.find('http://a.test/1')
  const later = (await page())?.fetchTime ?? 0
  const old = iso(crawl.clock.now() - HOUR_MS)
  crawl.clock.advance(HOUR_MS)
  await list('20270115090001', { 'http://a.test/1': { lastmod: old } })
  expect((await page())?.fetchTime).toBe(later)
  await list('20270115090002', { 'http://a.test/1': { lastmod: iso(crawl.clock.now() - 1000) } })
  expect((await page())?.fetchTime).toBe(crawl.clock.now())
  // It had not changed.
  await fetchPage('20270115090003', '01')
  expect((await page())?.metadata).toMatchObject({ lastmodWrong: 'yes' })
  crawl.clock.advance(HOUR_MS)
  await list('20270115090004', { 'http://a.test/1': { lastmod: iso(crawl.clock.now() - 1000) } })
  expect((await page())?.fetchTime).toBeGreaterThan(crawl.clock.now())
  // Now it had.
  await fetchPage('20270115090005', '02')
  expect((await page())?.metadata).not.toHaveProperty('lastmodWrong')
})

it('ignores a date in the future, and one that is not a date', async () => {
  await crawl.inject([MAP, 'http://a.test/1'])
  await fetchPage('20270115090000', '01')
  for (const [i, lastmod] of [iso(crawl.clock.now() + HOUR_MS), 'soon'].entries()) {
    await list(`2027011509000${i + 1}`, { 'http://a.test/1': { lastmod } })
    expect((await crawl.db.find('http://a.test/1'))?.fetchTime).toBeGreaterThan(crawl.clock.now())
  }
})
