import { filesSpider } from './files-template.ts'
import { javascriptSpider } from './javascript-template.ts'
import { listSpider } from './list-template.ts'
import { loginSpider } from './login-template.ts'
import { type NewSpider, quoted, usage } from './template-text.ts'

/** Spider templates by name. Each runs unchanged; its comments explain what to change. */
export const SPIDER_TEMPLATES = {
  pages: pagesSpider,
  list: listSpider,
  crawl: crawlSpider,
  sitemap: sitemapSpider,
  login: loginSpider,
  api: apiSpider,
  files: filesSpider,
  javascript: javascriptSpider,
} as const satisfies Record<string, (spider: NewSpider) => string>

export type SpiderTemplate = keyof typeof SPIDER_TEMPLATES

function pagesSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

${usage(name)}
export default spider({
  name: '${name}',

  // Start URLs. Only their hosts are crawled; \`allow: ['example.org']\` adds others.
  start: [${quoted(url)}],

  // The schema of an item. Items that do not match are rejected with the reason, and the crawl continues.
  item: z.object({ url: z.string(), title: z.string().min(1), links: z.number() }),

  // Remove the limits when the spider works.
  limits: { maxPages: 50, depth: 3 },

  // Handles the start pages, and every page without another handler. Try selectors with \`orbweaver shell <url>\`.
  *parse(page) {
    yield page.item({ url: page.url, title: page.text('title'), links: page.links().length })

    // One link: the next page of a list, with this handler. If there is no such link, nothing is followed.
    yield page.follow(page.css('a[rel=next]').attr('href'))

    // Many links: all that the selector matches, with the handler \`detail\`. No page is fetched twice.
    yield* page.followAll('a', 'detail')
  },

  handlers: {
    *detail(page) {
      yield page.item({ url: page.url, title: page.text('title'), links: page.links().length })
    },
  },
})
`
}

function crawlSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

${usage(name)}
export default spider({
  name: '${name}',
  start: [${quoted(url)}],

  // The schema of an item. Items that do not match are rejected with the reason, and the crawl continues.
  item: z.object({ url: z.string(), title: z.string().min(1) }),

  // The links to follow, from the start page on. The first matching rule sets the handler of the page.
  rules: [
    // Pages with items: with \`follow\`, their links are followed, too.
    { links: { deny: [/[/](login|logout|cart|search)/] }, handler: 'entry', follow: true },
    // Pages that only have links need no handler: { links: { allow: /[/]category[/]/, restrictCss: 'nav' } }
  ],

  // Remove the limits when the spider works.
  limits: { maxPages: 50, depth: 3 },

  handlers: {
    *entry(page) {
      yield page.item({ url: page.url, title: page.text('title') })
    },
  },
})
`
}

function sitemapSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

${usage(name)}
export default spider({
  name: '${name}',

  sitemap: {
    // A sitemap, a sitemap index, or a robots.txt that names them.
    urls: [${quoted(new URL('/robots.txt', url).href)}],
    // The listed pages to fetch, and their handlers. Entries that match no rule are skipped.
    rules: [{ match: /./, handler: 'entry' }],
    // Only recently changed pages: changedSince: new Date('2026-01-01')
  },

  // The schema of an item. Items that do not match are rejected with the reason, and the crawl continues.
  item: z.object({ url: z.string(), title: z.string().min(1) }),

  // Remove the limit when the spider works.
  limits: { maxPages: 50 },

  handlers: {
    *entry(page) {
      yield page.item({ url: page.url, title: page.text('title') })
    },
  },
})
`
}

function apiSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

${usage(name)}
const Item = z.object({ id: z.union([z.number(), z.string()]), name: z.string() })

// The response of the API. \`page.json\` validates it, so that a change of the API is an error and not a wrong item.
const Response = z.object({ results: z.array(Item), next: z.string().nullish() })

export default spider({
  name: '${name}',

  // A request with a body is a POST: start: () => [request('https://…', { json: { page: 1 } })]
  start: [${quoted(url)}],
  item: Item,

  // Remove the limit when the spider works.
  limits: { maxPages: 50 },

  // Headers of every request. Read keys and tokens from the environment: process.env.
  settings: { http: { headers: { accept: 'application/json' } } },

  *parse(page) {
    const { results, next } = page.json(Response)
    for (const result of results) yield page.item(result)

    // The next page of results, if there is one.
    yield page.follow(next ?? undefined)
  },
})
`
}
