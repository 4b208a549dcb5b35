/** What a new spider is made for. */
export interface NewSpider {
  readonly name: string
  /** Where it begins: absolute, normalised. */
  readonly url: string
}

/** Spiders to begin with, by kind: each runs as it is, and its comments say what to change. */
export const SPIDER_TEMPLATES = {
  pages: pagesSpider,
  crawl: crawlSpider,
  sitemap: sitemapSpider,
  api: apiSpider,
} as const satisfies Record<string, (spider: NewSpider) => string>

export type SpiderTemplate = keyof typeof SPIDER_TEMPLATES

function pagesSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

${usage(name)}
export default spider({
  name: '${name}',

  // Where to begin. Only the hosts of these pages are asked; \`allow: ['example.org']\` names others.
  start: [${quoted(url)}],

  // What an item looks like. One that does not fit is kept apart, with the reason, and the crawl goes on.
  item: z.object({ url: z.string(), title: z.string().min(1), links: z.number() }),

  // Take the limits away once the spider does what you want.
  limits: { maxPages: 50, depth: 3 },

  // Gets each page that no other handler was named for. \`orbweaver shell <url>\` is the place to try selectors.
  *parse(page) {
    yield page.item({ url: page.url, title: page.text('title'), links: page.links().length })

    // One link: the next page of a list, to this handler again. Where there is none, nothing happens.
    yield page.follow(page.css('a[rel=next]').attr('href'))

    // Many links: every one that the selector finds, to the handler \`detail\`. No page is asked twice.
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

  // What an item looks like. One that does not fit is kept apart, with the reason, and the crawl goes on.
  item: z.object({ url: z.string(), title: z.string().min(1) }),

  // Which links to follow, from the start page on. The first rule that wants a link decides who gets its page.
  rules: [
    // Pages with items: \`follow\` says that their links are looked at too.
    { links: { deny: [/[/](login|logout|cart|search)/] }, handler: 'entry', follow: true },
    // Pages that only lead to others need no handler: { links: { allow: /[/]category[/]/, restrictCss: 'nav' } }
  ],

  // Take the limits away once the spider does what you want.
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
    // Which of the listed pages to ask, and who gets them. An entry that no rule matches is left out.
    rules: [{ match: /./, handler: 'entry' }],
    // Only what has changed lately: changedSince: new Date('2026-01-01')
  },

  // What an item looks like. One that does not fit is kept apart, with the reason, and the crawl goes on.
  item: z.object({ url: z.string(), title: z.string().min(1) }),

  // Take the limit away once the spider does what you want.
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

// What the API responds. \`page.json\` checks it, so that a change of the API shows at once and not in your items.
const Response = z.object({ results: z.array(Item), next: z.string().nullish() })

export default spider({
  name: '${name}',

  // A request with a body is a POST: start: () => [request('https://…', { json: { page: 1 } })]
  start: [${quoted(url)}],
  item: Item,

  // Take the limit away once the spider does what you want.
  limits: { maxPages: 50 },

  // What every request sends along. Keys and tokens belong in the environment: process.env.
  settings: { http: { headers: { accept: 'application/json' } } },

  *parse(page) {
    const { results, next } = page.json(Response)
    for (const result of results) yield page.item(result)

    // The next page of results; without one, nothing happens.
    yield page.follow(next ?? undefined)
  },
})
`
}

function usage(name: string): string {
  return `// To try it:     orbweaver run ${name}.ts --cache --max-pages 5 --out -
// To run it:     orbweaver run ${name}.ts --dir ${name}-crawl --out ${name}.jsonl
// What failed:   orbweaver failed ${name}-crawl
`
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
