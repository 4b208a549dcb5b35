import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../testing/crawl-directory.ts'
import { allTables, fillEveryTable } from '../../../testing/exchanged-crawl.ts'
import { defaultRules } from '../../../testing/rule-sets.ts'
import { DuckExchange } from './duck-exchange.ts'

let crawl: TestCrawl
let other: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
  other = await TestCrawl.create()
})
afterEach(async () => {
  await crawl.remove()
  await other.remove()
})

/** Calls `work` while the database is closed in the directory and open for exchange. */
async function exchange<T>(of: TestCrawl, work: (exchange: DuckExchange) => Promise<T>): Promise<T> {
  await of.directory.close()
  const opened = await DuckExchange.open(join(of.path, 'crawldb.duckdb'), { memoryMb: 256 })
  try {
    return await work(opened)
  } finally {
    await opened.close()
    await of.reopenClosed()
  }
}

it('moves every row of every table to another database', async () => {
  await fillEveryTable(crawl)
  await other.inject(['http://old.test/'])
  const folder = join(crawl.path, 'exchange')
  const counts = await exchange(crawl, (opened) => opened.exportTables(folder))
  expect(Object.values(counts).every((count) => count > 0)).toBe(true)
  await exchange(other, (opened) => opened.importTables(folder, counts))
  expect(await allTables(other.directory)).toEqual(await allTables(crawl.directory))
})

it('moves an empty CrawlDb', async () => {
  const folder = join(crawl.path, 'exchange')
  const counts = await exchange(crawl, (opened) => opened.exportTables(folder))
  await other.inject(['http://old.test/'])
  await exchange(other, (opened) => opened.importTables(folder, counts))
  expect((await other.db.stats()).total).toBe(0)
})

it('changes nothing if a file is missing or a row would be lost', async () => {
  await crawl.inject(['http://a.test/'])
  const folder = join(crawl.path, 'exchange')
  const counts = await exchange(crawl, (opened) => opened.exportTables(folder))
  await other.inject(['http://old.test/'])
  await exchange(other, async (opened) => {
    await expect(opened.importTables(join(folder, 'urls'), counts)).rejects.toThrow()
    await expect(opened.importTables(folder, { ...counts, urls: 2 })).rejects.toMatchObject({
      code: 'ROWS_LOST',
      message: expect.stringContaining('1 of 2 in urls'),
    })
  })
  expect(await other.db.find('http://old.test/')).toBeDefined()
})

it('finds the data of a spider', async () => {
  expect(await exchange(crawl, (opened) => opened.hasSpider())).toBe(false)
  const frontier = crawl.directory.frontier({ rules: defaultRules })
  await frontier.add([{ url: 'http://a.test/', handler: 'page', depth: 0 }])
  await frontier.close()
  expect(await exchange(crawl, (opened) => opened.hasSpider())).toBe(true)
})
