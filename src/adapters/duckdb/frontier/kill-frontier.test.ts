import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../../testing/crawl-directory.ts'
import { defaultRules } from '../../../../testing/rule-sets.ts'
import type { CrawlRequest } from '../../../domain/frontier/crawl-request.ts'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
})
afterEach(() => crawl.remove())

// Page n has an item and leads to 2n + 1 and 2n + 2. Whatever a kill leaves, the one must tell of the other.
it('has no partial changes after each of many kills', async () => {
  const first: CrawlRequest = { url: pageUrl(0), handler: 'parse', depth: 0 }
  await crawl.directory.frontier({ rules: defaultRules }).add([first], 'complete')
  let before = 0
  for (const [when, statement] of [
    ['after', 'INSERT INTO requests'],
    ['after', 'INSERT INTO urls'],
    ['during', 'COMMIT'],
    ['after', 'COMMIT'],
  ] as const) {
    await crawl.directory.close()
    const program = join(import.meta.dirname, '../../../../testing/settle-until-killed.ts')
    const killed = spawnSync(process.execPath, [program, crawl.path, when, statement], { encoding: 'utf8' })
    expect(killed.signal, killed.stderr).toBe('SIGKILL')
    await crawl.reopenClosed()
    const settled = await expectWhole()
    expect(settled).toBeGreaterThan(before)
    before = settled
  }
})

/** Returns how many pages are settled. */
async function expectWhole(): Promise<number> {
  const settled = (await crawl.directory.items.items(0, 10_000)).map(({ item }) => Number(item['n']))
  const rejected = (await crawl.directory.items.rejected(0, 10_000)).map(({ item }) => Number(item['n']))
  expect(new Set(settled).size).toBe(settled.length)
  expect(rejected).toEqual(settled)
  const known = [0, ...settled.flatMap((n) => [2 * n + 1, 2 * n + 2])]
  const waiting = known.filter((n) => !settled.includes(n))
  expect(await urlsOf('SELECT url FROM requests')).toEqual(waiting.map(pageUrl).sort())
  expect(await urlsOf(`SELECT url FROM crawldb WHERE status = 'db_unfetched'`)).toEqual(
    waiting.map(pageUrl).sort(),
  )
  expect(await urlsOf(`SELECT url FROM crawldb WHERE status = 'db_fetched'`)).toEqual(
    settled.map(pageUrl).sort(),
  )
  expect(await urlsOf('SELECT fp::VARCHAR FROM seen')).toHaveLength(known.length)
  return settled.length
}

async function urlsOf(sql: string): Promise<string[]> {
  const { rows } = await crawl.directory.reader.sql(sql)
  return rows.map(([url]) => String(url)).sort()
}
function pageUrl(n: number): string {
  return `http://h${n % 7}.test/${n}`
}
