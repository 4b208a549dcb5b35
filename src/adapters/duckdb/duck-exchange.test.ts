import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWithDuckDb, TestCrawl } from '../../../testing/crawl-directory.ts'
import { allTables, fillEveryTable } from '../../../testing/exchanged-crawl.ts'
import type { OwnedCrawlDirectory } from './open-crawl-directory.ts'

let crawl: TestCrawl<OwnedCrawlDirectory>
let other: TestCrawl<OwnedCrawlDirectory>
beforeEach(async () => {
  crawl = await TestCrawl.createWith(openWithDuckDb)
  other = await TestCrawl.createWith(openWithDuckDb)
})
afterEach(async () => {
  await crawl.remove()
  await other.remove()
})

it('moves every row of every table to another database', async () => {
  await fillEveryTable(crawl)
  await other.inject(['http://old.test/'])
  const folder = join(crawl.path, 'exchange')
  const exported = await crawl.directory.exchange.exportTables(folder)
  expect(Object.values(exported).every((count) => count > 0)).toBe(true)
  expect(await other.directory.exchange.importTables(folder)).toEqual(exported)
  expect(await allTables(other.directory)).toEqual(await allTables(crawl.directory))
  expect(existsSync(join(folder, 'urls', 'part-0.parquet'))).toBe(true)
})

it('moves an empty CrawlDb, and changes nothing if a table is missing', async () => {
  const folder = join(crawl.path, 'exchange')
  await crawl.directory.exchange.exportTables(folder)
  await other.inject(['http://old.test/'])
  await expect(other.directory.exchange.importTables(join(folder, 'urls'))).rejects.toThrow()
  expect((await other.db.stats()).total).toBe(1)
  expect(await other.directory.exchange.importTables(folder)).toMatchObject({ urls: 0, hosts: 0 })
})
