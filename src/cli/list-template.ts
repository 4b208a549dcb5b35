import { type NewSpider, quoted, usage } from './template-text.ts'

/** Lists with a link to the next one, and a page for each entry. */
export function listSpider({ name, url }: NewSpider): string {
  return `import { spider } from 'orbweaver'
import { z } from 'zod'

${usage(name)}
export default spider({
  name: '${name}',

  // The first page of the list. Several lists: several URLs.
  start: [${quoted(url)}],

  // The schema of an item. Items that do not match are rejected with the reason, and the crawl continues.
  item: z.object({ url: z.string(), title: z.string().min(1), rank: z.number() }),

  // Data that the list passes to the page of an entry: it sets the type of \`page.meta\`.
  meta: { detail: z.object({ rank: z.number() }) },

  // Remove the limit when the spider works.
  limits: { maxPages: 50 },

  // A page of the list. Try selectors with \`orbweaver shell <url>\`.
  *parse(page) {
    let rank = 0
    for (const entry of page.css('li, article, tr'))
      yield page.follow(entry.attr('a', 'href'), { handler: 'detail', meta: { rank: ++rank } })

    // The next page of the list. If there is no such link, nothing is followed.
    yield page.follow(page.css('a[rel=next], .next a').attr('href'))
  },

  handlers: {
    // The page of one entry.
    detail(page) {
      return page.item({ url: page.url, title: page.text('h1') || page.text('title'), rank: page.meta.rank })
    },
  },
})
`
}
