import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { defaultRules } from '../../../testing/rule-sets.ts'
import { writeSegmentPart } from '../../../testing/segment-parts.ts'
import { createFreshnessSchedule } from '../../domain/schedule/freshness-schedule.ts'
import { parseChanges } from '../../domain/schedule/stored-changes.ts'

const DAY_MS = 86_400_000
const rules = { ...defaultRules, schedule: createFreshnessSchedule() }

let crawl: TestCrawl
let segments = 0
beforeEach(async () => {
  crawl = await TestCrawl.create()
})
afterEach(() => crawl.remove())

/** Merges a fetch of each URL; those in `changed` have new content. */
async function fetchAll(urls: readonly string[], changed: ReadonlySet<string> = new Set()): Promise<void> {
  const segment = String(20270115090000 + segments++)
  const fetchedAt = crawl.clock.now()
  const fetch = urls.map((url) => ({
    ...{ url, status: 'fetch_success' as const, fetchedAt, contentType: 'text/html', scoreGiven: 0 },
    signature: changed.has(url) ? String(fetchedAt) : '00',
  }))
  await writeSegmentPart(crawl.segmentPath(segment), { fetch })
  await crawl.update([segment], { rules })
}

const pages = (host: string) => Array.from({ length: 40 }, (_, i) => `http://${host}/${i}`)

it('learns the rates of hosts and stores the plan', async () => {
  const [news, archive] = [pages('news.test'), pages('archive.test')]
  await crawl.inject([...news, ...archive])
  expect((await crawl.db.stats()).plan).toBeUndefined()
  for (let round = 0; round < 6; round++) {
    await fetchAll([...news, ...archive], new Set(news))
    crawl.clock.advance(10 * DAY_MS)
  }
  await crawl.reopen()
  const { plan } = await crawl.db.stats()
  expect(plan).toMatchObject({ pages: 80, fetchesPerDay: 80 / 30 })
  expect(plan?.freshness).toBeGreaterThan(0.5)
  expect(plan?.hosts['news.test text/html']).toBeGreaterThan(2)
  expect(plan?.hosts['archive.test text/html']).toBeLessThan(0.5)
  // A new page of each host starts with the rate of its host.
  const fresh = ['http://news.test/new', 'http://archive.test/new']
  await crawl.inject(fresh)
  await fetchAll(fresh)
  const [one, other] = await Promise.all(fresh.map((url) => crawl.db.find(url)))
  const rate = (record: typeof one) => 1 / (parseChanges(record?.metadata ?? {})?.belief.days ?? 0)
  expect(rate(one) / rate(other)).toBeGreaterThan(4)
})

it('uses a plan for ten minutes, unless the number of URLs changes much', async () => {
  const urls = pages('a.test')
  await crawl.inject(urls)
  await fetchAll(urls.slice(0, 30))
  const planOf = async () => (await crawl.db.stats()).plan?.pages
  expect(await planOf()).toBe(30)
  crawl.clock.advance(60_000)
  await fetchAll(urls.slice(30, 31))
  expect(await planOf()).toBe(30)
  crawl.clock.advance(600_000)
  await fetchAll(urls.slice(31, 32))
  expect(await planOf()).toBe(32)
  await crawl.inject(pages('b.test'))
  crawl.clock.advance(1_000)
  await fetchAll(urls.slice(32, 33))
  expect(await planOf()).toBe(33)
})

it('makes a new plan with replan, however young the last one is', async () => {
  const urls = pages('a.test')
  await crawl.inject(urls)
  await fetchAll(urls.slice(0, 30))
  await fetchAll(urls.slice(30, 31))
  await crawl.update([], { rules, replan: true })
  expect((await crawl.db.stats()).plan?.pages).toBe(31)
})

it('makes no plan for other schedules', async () => {
  await crawl.inject(['http://a.test/'])
  await writeSegmentPart(crawl.segmentPath('20270115090000'), {
    fetch: [{ url: 'http://a.test/', status: 'fetch_success', fetchedAt: crawl.clock.now() }],
  })
  await crawl.update(['20270115090000'])
  expect((await crawl.db.stats()).plan).toBeUndefined()
})
