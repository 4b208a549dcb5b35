import { expect, it } from 'vitest'
import type { UrlStatus } from '../../domain/crawldb/crawl-db-reader.ts'
import { CRAWL_STATUSES, type DbStatus } from '../../domain/crawldb/crawl-status.ts'
import { cleanIndex } from './clean-index.ts'

/** A CrawlDb with a URL of every status, one at a time. */
function reader(given: string[]) {
  return {
    async *withStatus(statuses: readonly DbStatus[]): AsyncGenerator<readonly UrlStatus[]> {
      for (const { name } of CRAWL_STATUSES) {
        const status = statuses.find((wanted) => wanted === name)
        if (status === undefined) continue
        given.push(status)
        yield [{ url: `http://a.test/${status}`, status }]
      }
    },
  }
}

it('removes pages by status, and keeps fetched and unfetched ones', async () => {
  const removed: string[] = []
  const result = await cleanIndex(reader([]), async (urls) => void removed.push(...urls))
  const kept = CRAWL_STATUSES.filter(
    ({ kind, name }) => kind === 'db' && !removed.includes(`http://a.test/${name}`),
  )
  expect(kept.map(({ name }) => name)).toEqual(['db_unfetched', 'db_fetched', 'db_notmodified'])
  expect(result).toEqual({
    urls: 6,
    statuses: {
      db_gone: 1,
      db_redir_temp: 1,
      db_redir_perm: 1,
      db_duplicate: 1,
      db_orphan: 1,
      db_parse_failed: 1,
    },
  })
})

it('reads the next batch only after the index has removed the last', async () => {
  const given: string[] = []
  const taken = Promise.withResolvers<void>()
  const cleaning = cleanIndex(reader(given), () => taken.promise, ['db_gone', 'db_duplicate'])
  await Promise.resolve()
  expect(given).toEqual(['db_gone'])
  taken.resolve()
  expect((await cleaning).urls).toBe(2)
})
