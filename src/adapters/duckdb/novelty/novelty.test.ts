import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestCrawl } from '../../../../testing/crawl-directory.ts'
import { writeSegmentPart } from '../../../../testing/segment-parts.ts'
import { fingerprintText } from '../../../domain/content/sim-hash.ts'
import { DEFAULT_NOVELTY_LIMITS } from '../../../domain/novelty/novelty-budget.ts'

const novelty = { limits: { ...DEFAULT_NOVELTY_LIMITS, basePages: 10 }, ignoreParameters: true }

let crawl: TestCrawl
beforeEach(async () => {
  crawl = await TestCrawl.create()
})
afterEach(() => crawl.remove())

/** Words that no other seed has. */
function article(seed: number): string {
  return Array.from(
    { length: 200 },
    (_, i) => `${seed.toString(36)}${'abcdefghij'[i % 10]}${'klmnop'[i % 6]}${i * seed}`,
  ).join(' ')
}

/** Fetches all that generate lists, with these texts. Returns the URLs. */
async function round(textOf: (url: string) => string): Promise<string[]> {
  const [segment] = (await crawl.generate({ novelty })).segments
  if (segment === undefined) return []
  const { rows } = await crawl.directory.reader.sql(
    `SELECT url FROM crawldb WHERE generated_in = '${segment.name}'`,
  )
  const urls = rows.map(([url]) => String(url))
  const prints = new Map(urls.map((url) => [url, fingerprintText(textOf(url))]))
  await writeSegmentPart(crawl.segmentPath(segment.name), {
    fetch: urls.map((url) => ({
      ...{ url, status: 'fetch_success' as const, fetchedAt: crawl.clock.now() },
      signature: (prints.get(url)?.simHash ?? '').padStart(32, '0'),
    })),
    pages: urls.map((url) => ({ url, status: 'parsed' as const, ...prints.get(url) })),
  })
  await crawl.update([segment.name], { novelty })
  return urls
}

async function crawlAll(textOf: (url: string) => string): Promise<string[]> {
  const fetched: string[] = []
  for (let n = 0; n < 40; n++) {
    const urls = await round(textOf)
    if (urls.length === 0) break
    fetched.push(...urls)
  }
  return fetched
}

const inject = (urls: readonly string[]) => crawl.inject(urls.map((url) => ({ url, score: 1, metadata: {} })))
const numbers = Array.from({ length: 80 }, (_, i) => i)
/** The editor of a page has its text. */
const textOf = (url: string) =>
  article(Number(/id=(\d+)/.exec(url)?.[1]) + 1) + (url.includes('edit') ? ' in a form' : '')

describe('the novelty budget', () => {
  beforeEach(async () => {
    await inject(numbers.map((i) => `http://a.test/page?id=${i}`))
    expect(await crawlAll(textOf)).toHaveLength(80)
  }, 30_000)

  it('fetches all pages with new content, and few of the views that repeat it', async () => {
    await inject(numbers.map((i) => `http://a.test/page?do=edit&id=${i}`))
    const views = await crawlAll(textOf)
    expect(views.length).toBeGreaterThan(1)
    expect(views.length).toBeLessThan(40)
    const { patterns } = await crawl.db.novelty()
    const edit = patterns.find(({ pattern }) => pattern === 'a.test/page?do=edit&id=#')
    expect(edit).toMatchObject({ fetched: views.length, released: false, held: 80 - views.length })
    const [held = ''] = numbers
      .map((i) => `http://a.test/page?do=edit&id=${i}`)
      .filter((url) => !views.includes(url))
    expect(await crawl.db.find(held)).toMatchObject({ status: 'db_unfetched' })
    expect((await crawl.db.novelty(held)).patterns).toEqual([edit])
  })

  it('fetches the URLs of a pattern after its release', async () => {
    await inject(numbers.map((i) => `http://a.test/page?do=edit&id=${i}`))
    const views = await crawlAll(textOf)
    expect(await crawl.db.changeNovelty({ action: 'release', target: 'a.test/page?do=edit&id=#' })).toBe(1)
    expect(views.length + (await crawlAll(textOf)).length).toBe(80)
  })

  it('tries a held pattern again after some days', async () => {
    await inject(numbers.map((i) => `http://a.test/page?do=edit&id=${i}`))
    await crawlAll(textOf)
    crawl.clock.advance(2 * 86_400_000)
    expect((await round(textOf)).filter((url) => url.includes('edit'))).toHaveLength(1)
  })

  it('ignores a parameter that does not change the words', async () => {
    await inject(numbers.map((i) => `http://a.test/page?id=${i}&token=x${i}`))
    await crawlAll(textOf)
    const url = 'http://a.test/page?id=79&token=x79'
    expect((await crawl.db.novelty(url)).parameters).toMatchObject([
      { slot: 'a.test/page?token=', different: 0, refused: false },
    ])
    expect(await crawl.db.changeNovelty({ action: 'keep-parameter', target: 'a.test/page?token=' })).toBe(1)
    expect((await crawl.db.novelty(url)).parameters).toEqual([])
  })
})

describe('markNearDuplicates', () => {
  it('groups pages with nearly the same text, and marks them if requested', async () => {
    const urls = ['http://a.test/1', 'http://a.test/2', 'http://b.test/3']
    await inject(urls)
    await round((url) => (url.includes('b.test') ? article(7) : `${article(3)} ${url.length}`))
    expect(await crawl.db.markDuplicates({ near: true })).toEqual({ groups: 1, duplicates: 1, compared: 3 })
    const near = await crawl.db.nearPages('http://a.test/2')
    expect(near.map(({ url, kept }) => [url, kept])).toEqual([
      ['http://a.test/1', true],
      ['http://a.test/2', false],
    ])
    expect(await crawl.db.find('http://a.test/2')).toMatchObject({ status: 'db_fetched' })
    await crawl.db.markDuplicates({ near: true, mark: true })
    expect(await crawl.db.find('http://a.test/2')).toMatchObject({ status: 'db_duplicate' })
    expect(await crawl.db.nearPages('http://b.test/3')).toEqual([])
  })
})
