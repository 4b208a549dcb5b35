import { describe, expect, it } from 'vitest'
import { followAll, linksTo, SpiderLab } from '../../../testing/spider-lab.ts'
import type { Page } from './handler-page.ts'
import type { AnySpider } from './spider-definition.ts'

/** A tree: 1 leads to 11, 12, 13, each of those to three more. */
const NODES = [1, 11, 12, 13, ...[11, 12, 13].flatMap((n) => [n * 10 + 1, n * 10 + 2, n * 10 + 3])]

function tree(hostOf: (n: number) => string) {
  const urlOf = (n: number) => `http://${hostOf(n)}/${n}`
  const children = (n: number) => NODES.filter((other) => Math.floor(other / 10) === n)
  return Object.fromEntries(NODES.map((n) => [urlOf(n), linksTo(...children(n).map(urlOf))]))
}

const numbers = (urls: readonly string[]) => urls.map((url) => Number(new URL(url).pathname.slice(1)))
const BREADTH_FIRST = [1, 11, 12, 13, 111, 112, 113, 121, 122, 123, 131, 132, 133]
const DEPTH_FIRST = [1, 13, 133, 132, 131, 12, 123, 122, 121, 11, 113, 112, 111]

/** Those with the same last digit share a priority. */
function* byLastDigit(page: Page) {
  for (const { url } of page.links()) yield page.follow(url, { priority: Number(url.at(-1)) })
}
const BY_PRIORITY = [1, 13, 133, 12, 123, 132, 122, 11, 113, 112, 131, 121, 111]

describe.each([1, 8])('with %i threads, as one host sees it', (threads) => {
  it.each<[AnySpider['order'] & string, AnySpider['parse'], readonly number[]]>([
    ['fifo', followAll, BREADTH_FIRST],
    ['lifo', followAll, DEPTH_FIRST],
    ['priority', byLastDigit, BY_PRIORITY],
  ])('the order %s is exact', async (order, parse, expected) => {
    const lab = new SpiderLab(
      tree(() => 'a.test'),
      { threads },
    )
    await lab.run({ start: 'http://a.test/1', order, ...(parse && { parse }) })
    expect(numbers(lab.requested)).toEqual(expected)
  })

  it('the order hosts goes by priority among what waits, equals by their arrival', async () => {
    const lab = new SpiderLab({ 'http://a.test/1': 'x' }, { threads })
    await lab.run({
      start: 'http://a.test/1',
      handleStatuses: 'all',
      *parse(page) {
        if (page.depth > 0) return
        for (const n of [10, 21, 12, 20, 11, 22]) yield page.follow(`/${n}`, { priority: Math.floor(n / 10) })
      },
    })
    expect(numbers(lab.requested)).toEqual([1, 21, 20, 22, 10, 12, 11])
  })
})

describe('over hosts', () => {
  const hostOf = (n: number) => `h${n % 4}.test`

  it.each<[AnySpider['order'] & string, readonly number[]]>([
    ['fifo', BREADTH_FIRST],
    ['lifo', DEPTH_FIRST],
  ])('the order %s is exact with one thread', async (order, expected) => {
    const lab = new SpiderLab(tree(hostOf), { threads: 1 })
    await lab.run({ start: `http://${hostOf(1)}/1`, allow: '*', order, parse: followAll })
    expect(numbers(lab.requested)).toEqual(expected)
  })

  it('a strict order lets what was just found go first, and at once, though other hosts have something waiting', async () => {
    const [a, b] = ['http://a.test', 'http://b.test']
    const lab = new SpiderLab(
      { [`${a}/robots.txt`]: 'User-agent: *\nCrawl-delay: 3', [`${b}/1`]: linksTo('/9') },
      { threads: 2 },
    )
    await lab.run({
      start: [`${a}/1`, `${a}/2`, `${b}/1`, `${b}/2`],
      order: 'priority',
      handleStatuses: 'all',
      parse: (page) => page.followAll('a', { priority: 9 }),
    })
    expect(lab.requested.filter((url) => url.startsWith(b))).toEqual([`${b}/1`, `${b}/9`, `${b}/2`])
    const [, first, second] = lab.web.judge.hits.filter(({ host }) => host === 'b.test')
    expect((second?.start ?? 0) - (first?.end ?? 0)).toBe(100)
  })

  it('the order hosts lets none of them wait for another', async () => {
    const web = Object.fromEntries(
      [0, 1, 2].flatMap((host) => Array.from({ length: 20 }, (_, n) => [`http://h${host}.test/${n}`, 'x'])),
    )
    const lab = new SpiderLab(web, { threads: 3 })
    // All of one host before all of the next.
    await lab.run({ start: Object.keys(web), parse: () => {} })
    const firstHalf = lab.requested.slice(0, 30).map((url) => new URL(url).host)
    for (const host of ['h0.test', 'h1.test', 'h2.test'])
      expect(firstHalf.filter((other) => other === host).length).toBeGreaterThanOrEqual(8)
  })
})
