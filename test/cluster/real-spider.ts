import { spider } from '../../src/wiring/define-spider.ts'

/** Crawls whole sites without a delay and yields an item for every page. */
export function siteSpider(seeds: readonly string[]) {
  return spider({
    name: 'sites',
    start: seeds,
    allow: seeds.map((seed) => new URL(seed).hostname),
    rules: [{ handler: 'page', follow: true }],
    parse: (page) => page.item({ url: page.url }),
    handlers: { page: (page) => page.item({ url: page.url }) },
    settings: {
      agent: { email: 'test@example.org' },
      politeness: { delaySeconds: 0, threadsPerHost: 8 },
    },
  })
}
