import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestCrawl } from '../../../../testing/crawl-directory.ts'

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
  const hosts = { a: 4, b: 4, c: 4 }
  const urls = Object.entries(hosts).flatMap(([host, count]) =>
    Array.from({ length: count }, (_, i) => `http://${host}.test/${i}`),
  )
  await crawl.inject(urls)
})
afterEach(() => crawl.remove())

const EXPR = "case host when 'a.test' then 1 when 'b.test' then -1 end"

it.each([
  [{ hostLimitExpr: EXPR }, 1 + 4 + 4],
  [{ hostLimitExpr: EXPR, maxCount: 2 }, 1 + 4 + 2],
  [{ hostLimitExpr: EXPR, maxCount: 2, topN: 100 }, 1 + 4 + 2],
  [{ hostLimitExpr: '0' }, 0],
  [{ hostLimitExpr: 'urls / 2.0 + 0.7', topN: 5 }, 5],
])('selects URLs within the limits of %j', async (request, selected) => {
  expect((await crawl.generate(request)).selected).toBe(selected)
})

it.each([
  ['1; drop table urls', 'cannot be used'],
  ["(select count(*) from read_text('/etc/passwd'))", 'must not read tables'],
  ['no_such_column', 'no_such_column'],
])('rejects the expression %s', async (hostLimitExpr, message) => {
  await expect(crawl.generate({ hostLimitExpr })).rejects.toThrow(message)
})

it('cannot be used by domain', async () => {
  await expect(crawl.generate({ hostLimitExpr: '1', countMode: 'domain' })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
  })
})
